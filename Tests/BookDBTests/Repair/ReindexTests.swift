import LibrarySupport
import StorageEngine
import Testing

@testable import BookDB
@testable import RecordStore

/// Making derived trees anew in place.
struct ReindexTests {
    /// Made once, with the tree of each page.
    private static let original = Task {
        let library = try await DamageableLibrary.make(works: 40)
        return (library, try treesOfPages(in: library))
    }

    private func library() async throws -> DamageableLibrary { try await Self.original.value.0.copy() }

    @Test func `every index whose every page is damaged is made anew as it was`() async throws {
        let library = try await library()
        let before = try library.open(.readOnly).snapshot
        let rows = try WorkOrder.allCases.map { try before.works.list(by: $0).page(offset: 0, limit: 100) }
        let exported = try before.exported()
        for tree in BookStore.derivedTrees {
            let damaged = try library.copy()
            let pages = try await self.pages(of: tree.number)
            if pages.isEmpty { continue }
            for page in pages { try damaged.flip(page: page) }
            #expect(try !damaged.verify().isSound)
            let store = try damaged.open()
            let commit = store.snapshot.commitNumber
            let report = try await store.reindex(only: tree)
            // Alone, but for the list by title: orders lead to its pages.
            let made = store.treesMadeAnew(with: tree)
            // To empty an empty tree is no commit.
            func isThere(_ tree: DerivedTree) -> Bool { (try? before.version.count(in: tree.number)) != 0 }
            #expect(made.first == tree && (made.count == 1) == (tree != .title))
            #expect(
                store.snapshot.commitNumber == commit + UInt64(made.filter(isThere).count),
                "a commit each: no reader sees half of one")
            #expect(report.trees.map(\.tree) == made && report.remainingDamage == nil)
            let after = store.snapshot
            #expect(
                try WorkOrder.allCases.map { try after.works.list(by: $0).page(offset: 0, limit: 100) } == rows)
            #expect(try after.exported() == exported)
            try await store.close()
            #expect(try damaged.verify().isSound, "\(tree)")
        }
    }

    @Test
    func `health names the trees that commits behind a rotten page have made unreadable, until they are made anew`()
        async throws
    {
        let library = try await library()
        let store = try library.open()
        #expect(store.health.name == "ready")
        let work = try #require(store.snapshot.works.list().first { $0.title == "Book 0030" })
        try await store.updateEntry(of: work.id) { $0.rating = Rating(stars: 4) }
        try await store.close()
        // In the list alone, a title stands before its author.
        try library.flip("Book 0030Author 0030")
        for access in [BookStore.Access.readOnly, .exclusive] {
            let damaged = try library.open(access)
            guard case .damaged(let report) = damaged.health else {
                throw Unexpected(health: damaged.health)
            }
            // The orders that the commit changed are blind there, too.
            let blind = Set(damaged.treesMadeAnew(with: .title).map(\.words))
            #expect(report.parts.first == DerivedTree.title.words && blind.isSuperset(of: report.parts))
            #expect(!report.lacksCommits)
            #expect(report.damage.file == (try library.snapshotPath))
            #expect(throws: LibraryError.self) { try damaged.snapshot.works.list().page(offset: 0, limit: 1) }
            #expect(try damaged.snapshot.works[work.id]?.title == work.title)
            try await damaged.close()
        }
        let mended = try library.open()
        _ = try await mended.reindex(only: .title)
        #expect(mended.health.name == "ready")
        try await mended.close()
    }

    private struct Unexpected: Error { let health: BookStore.Health }

    @Test func `all indexes are made anew in a commit each`() async throws {
        let library = try await library()
        for tree in BookStore.derivedTrees {
            for page in try await pages(of: tree.number) { try library.flip(page: page) }
        }
        let store = try library.open()
        let commit = store.snapshot.commitNumber
        let report = try await store.reindex()
        // The index of ISBNs and the lists by series and language were empty and stay so.
        #expect(store.snapshot.commitNumber == commit + 13)
        #expect(report.trees.map(\.entryCount) == [40, 40, 40, 40, 0, 20, 44, 40, 40, 40, 40, 40, 44, 0, 28, 0, 0])
        try await store.close()
        #expect(try library.verify().isSound)
    }

    @Test func `damaged records are refused before anything is changed`() async throws {
        let library = try await library()
        try library.flip("Subject 0030")
        let store = try library.open()
        let commit = store.snapshot.commitNumber
        let error = await libraryError { try await store.reindex() }
        if case .damaged = error {} else { Issue.record("\(String(describing: error))") }
        #expect(store.snapshot.commitNumber == commit)
        // What is made from other records can be made all the same.
        try await store.reindex(only: .authorNames)
        try await store.close()
    }

    @Test func `what another damaged page keeps in the file is told`() async throws {
        let library = try await library()
        for tree in [LibraryTree.title, LibraryTree.authorNames] {
            for page in try await pages(of: tree) { try library.flip(page: page) }
        }
        let store = try library.open()
        let report = try await store.reindex(only: .title)
        #expect(report.compaction == nil && report.remainingDamage?.contains("checksum") == true)
        #expect(try store.snapshot.works.list().page(offset: 0, limit: 100).count == 40)
        try await store.close()
    }

    private func pages(of tree: TreeNumber) async throws -> [Int] {
        try await Self.original.value.1.filter { $0.value == tree }.keys.sorted()
    }

    /// With one page damaged, a check of the files names its tree.
    private static func treesOfPages(in library: DamageableLibrary) throws -> [Int: TreeNumber] {
        var trees: [Int: TreeNumber] = [:]
        for page in 1..<(try library.bytes(of: library.snapshotPath).count / 4096 - 1) {
            try library.flip(page: page)
            let report = try Verifier.verify(at: DamageableLibrary.path, fileSystem: library.fileSystem)
            let finding = report.treeFindings.first { $0.damage.page == page }
            trees[page] = finding?.tree
            try library.flip(page: page)
        }
        return trees
    }
}

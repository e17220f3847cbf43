import Filing
import LibrarySupport
import StorageEngine
import Testing

@testable import BookDB
@testable import RecordStore

/// What a repair makes of a library that is damaged in its log, and where it refuses.
struct RepairLogTests {
    /// Five works in the snapshot, then ten commits of a work each in the log; and where their frames begin.
    private func library() async throws -> (library: DamageableLibrary, frames: [Int], works: [ID<Work>]) {
        let library = try await DamageableLibrary.make(works: 5)
        let store = try library.open()
        var works: [ID<Work>] = []
        for number in 0..<10 {
            works.append(try await store.add("Late \(number)", by: "Author 0001", status: .read))
        }
        try await store.close()
        return (library, try library.frames, works)
    }

    @Test func `a commit that has rotted is named, and the commits behind it are saved`() async throws {
        let (library, frames, works) = try await library()
        let sound = try library.open(.readOnly).snapshot.exported()
        try library.flip(frames[4] + 60, of: library.logPath)
        let (store, report) = try await library.repaired()
        let saved = try store.snapshot.exported()
        #expect(report.missingCommits.count == 1 && report.missingCommits.first?.count == 1)
        #expect(!report.isComplete)
        #expect(Set(sound.keys).subtracting(saved.keys) == ["work \(works[4])", "entry \(works[4])"])
        #expect(sound.filter { saved[$0.key] != nil } == saved)
        expectSound(store.snapshot)
        let highest = try #require(works.max())
        let writable = try BookStore(at: "Saved.bookdb", fileSystem: library.fileSystem)
        #expect(try await writable.write { try $0.insert(Work("After")) } > highest)
        try await writable.close()
    }

    @Test func `an edition whose move is lost belongs to the work that it had last`() async throws {
        let library = try await DamageableLibrary.make(works: 5)
        let store = try library.open()
        let (first, second, edition) = try await store.write { library in
            let first = try library.insert(Work(title: "First"))
            let second = try library.insert(Work(title: "Second"))
            return (
                first, second, try library.insert(Edition(of: first, isbns: [ISBN("9780306406157")], title: "Moved"))
            )
        }
        try await store.compact()
        try await store.write { library in
            guard var moved = try library.edition(edition) else { return }
            moved.work = second
            try library.update(moved)
        }
        try await store.write { library in
            guard var changed = try library.edition(edition) else { return }
            changed.publisher = "Later"
            try library.update(changed)
        }
        try await store.close()
        try library.flip(library.frames[0] + 60, of: library.logPath)
        let (saved, report) = try await library.repaired()
        expectSound(saved.snapshot)
        #expect(try saved.snapshot.works.details(first)?.editions.isEmpty == true)
        #expect(try saved.snapshot.works.details(second)?.editions.map(\.publisher) == ["Later"])
        #expect(report.items.isEmpty, "the later record of it is whole")
    }

    @Test func `an edition whose move is lost, and whose end is not, is gone`() async throws {
        let library = try await DamageableLibrary.make(works: 5)
        let store = try library.open()
        let (first, second, edition) = try await store.write { library in
            let first = try library.insert(Work(title: "First"))
            let second = try library.insert(Work(title: "Second"))
            return (first, second, try library.insert(Edition(of: first, isbns: [ISBN("9780306406157")])))
        }
        try await store.compact()
        try await store.write { library in
            guard var moved = try library.edition(edition) else { return }
            moved.work = second
            try library.update(moved)
        }
        try await store.write { _ = try $0.delete(edition) }
        try await store.close()
        try library.flip(library.frames[0] + 60, of: library.logPath)
        let (saved, report) = try await library.repaired()
        expectSound(saved.snapshot)
        #expect(try saved.snapshot.works.details(first)?.editions.isEmpty == true)
        #expect(try saved.snapshot.works.details(second)?.editions.isEmpty == true)
        #expect(report.items.isEmpty && !report.isComplete)
    }

    @Test func `works, entries and authors whose change is lost, and whose end is not, are gone`() async throws {
        let library = try await DamageableLibrary.make(works: 5)
        let store = try library.open()
        let rated = try await store.add("Rated", by: "Author 0001", status: .read)
        let renamed = try await store.add("Renamed", by: "Author 0001", status: .read)
        let forgotten = try await store.add("Forgotten", by: "Author 0001", status: .read)
        let emptied = try await store.add("Emptied", by: "Author 0001")
        let (author, edition) = try await store.write { library in
            (try library.insert(Author("Ann")), try library.insert(Edition(of: emptied, title: "Emptied")))
        }
        try await store.compact()
        // The commit that is lost: what each is found by in a list or an index becomes another, or goes.
        try await store.write { library in
            try library.set(UserLibraryEntry(for: rated, status: .read, rating: Rating(stars: 5)))
            for id in [renamed, forgotten] {
                guard var work = try library.work(id) else { continue }
                work.title = "Other, \(id)"
                try library.update(work)
            }
            _ = try library.delete(edition)
            guard var changed = try library.author(author) else { return }
            changed.name = "Bea"
            try library.update(changed)
        }
        try await store.write { library in
            _ = try library.delete([rated, renamed, emptied])
            _ = try library.deleteEntry(of: forgotten)
            _ = try library.delete(author)
        }
        try await store.close()
        try library.flip(library.frames[0] + 60, of: library.logPath)
        let (saved, report) = try await library.repaired()
        expectSound(saved.snapshot)
        for id in [rated, renamed, emptied] { #expect(try saved.snapshot.works[id] == nil) }
        #expect(try saved.snapshot.works[forgotten]?.title == "Forgotten")
        #expect(try saved.snapshot.entries[forgotten] == nil)
        #expect(try saved.snapshot.authors[author] == nil)
        // Whether an edition was deleted or moved by the commit that is lost, nobody knows.
        #expect(report.items.map(\.id) == ["\(edition)"] && !report.isComplete, "\(report.items)")
    }

    @Test func `without the snapshot's file the log is saved, and the commits before it are named`() async throws {
        let (library, _, works) = try await library()
        library.fileSystem.remove(try library.snapshotPath)
        let (store, report) = try await library.repaired()
        #expect(report.missingCommits == [1...1])
        #expect(try works.allSatisfy { try store.snapshot.works[$0] != nil })
        // The author of all of them was in the snapshot; their rows in the log still show the name.
        #expect(report.items.map(\.title) == ["Author 0001"])
        expectSound(store.snapshot)
    }

    @Test func `a repair overwrites nothing, and leaves nothing behind when it fails`() async throws {
        let (library, _, _) = try await library()
        let fileSystem = library.fileSystem
        fileSystem.createDirectory("There.bookdb")
        var error = await libraryError { try await library.repaired(at: "There.bookdb") }
        #expect(error == .exists(path: "There.bookdb"))
        error = await libraryError { try await library.repaired(at: DamageableLibrary.path) }
        #expect(error == .exists(path: DamageableLibrary.path))
        error = await libraryError { try await library.repaired(at: "\(DamageableLibrary.path)/Saved.bookdb") }
        #expect(error?.sentence.contains("cannot be made within it") == true)
        error = await libraryError {
            try await BookStore.repair(at: "Nowhere", to: "Saved.bookdb", fileSystem: fileSystem)
        }
        #expect(error == .notFound(path: "Nowhere"))
        for path in ["Saved.bookdb", "Saved.bookdb.unfinished"] { #expect(fileSystem.kind(of: path) == .absent) }
    }

    @Test func `a preview tells what a repair would, and writes nothing`() async throws {
        let (library, frames, _) = try await library()
        try library.flip(frames[2] + 60, of: library.logPath)
        try library.flip("Subtitle 0003")
        let names = try library.fileSystem.names(inDirectory: DamageableLibrary.path)
        let preview = try await BookStore.previewRepair(
            at: DamageableLibrary.path, fileSystem: library.fileSystem)
        #expect(try library.fileSystem.names(inDirectory: DamageableLibrary.path) == names)
        let (_, report) = try await library.repaired()
        #expect(preview.tallies == report.tallies && preview.items == report.items)
        #expect(preview.missingCommits == report.missingCommits && preview.damage == report.damage)
    }

    @Test func `trees of a newer version are copied, stray keys are listed, a newer format is refused`() async throws {
        let library = try await DamageableLibrary.make(works: 2)
        let tree = TreeDeclaration(TreeNumber(40), "tomorrow", facetCount: 1)
        let database = try Database.open(
            at: DamageableLibrary.path, trees: LibraryContents.books.allTrees + [tree], fileSystem: library.fileSystem)
        try await database.write { transaction in
            try transaction.put([1], forKey: [2], facets: FacetSet(Facet(0)), in: tree.number)
            try transaction.put([7], forKey: [1, 2, 3], in: LibraryTree.books)
            try transaction.put([7], forKey: [4], in: LibraryTree.texts)
        }
        try await database.compact()
        try await database.close()
        let (store, report) = try await library.repaired()
        #expect(try store.database.version.count(in: tree.number, facet: Facet(0)) == 1)
        #expect(report.items.map(\.id) == ["010203", "04"] && report.items.allSatisfy { $0.bytes == [7] })
        let newer = try Database.open(at: DamageableLibrary.path, trees: [], fileSystem: library.fileSystem)
        try await newer.write { try $0.put(.bigEndian(9), forKey: LibraryMeta.Name.format, in: LibraryTree.meta) }
        try await newer.close()
        let error = await libraryError { try await library.repaired(at: "Newer.bookdb") }
        #expect(error == .tooNew(path: DamageableLibrary.path, found: 9, supported: 1))
        #expect(library.fileSystem.kind(of: "Newer.bookdb.unfinished") == .absent)
    }

    @Test func `a tree of a newer version is copied from the log alone, and told where only pages are left of it`()
        async throws
    {
        let library = try await DamageableLibrary.make(works: 2)
        let tree = TreeDeclaration(TreeNumber(40), "tomorrow", facetCount: 1)
        let later = try Database.open(
            at: DamageableLibrary.path, trees: LibraryContents.books.allTrees + [tree], fileSystem: library.fileSystem)
        try await later.write { try $0.put([1], forKey: [2], facets: FacetSet(Facet(0)), in: tree.number) }
        try await later.close()
        let (store, report) = try await library.repaired()
        #expect(try store.database.version.count(in: tree.number, facet: Facet(0)) == 1)
        #expect(report.isComplete, "\(report.items)")

        let again = try Database.open(at: DamageableLibrary.path, trees: [], fileSystem: library.fileSystem)
        try await again.compact()
        try await again.close()
        try library.flip(page: 0)
        try library.flip(library.bytes(of: library.snapshotPath).count - 100, of: library.snapshotPath)
        let (_, headless) = try await library.repaired(at: "Headless.bookdb")
        #expect(headless.items.map(\.kind) == [.laterTree] && headless.items.map(\.id) == ["40"])
        #expect(!headless.isComplete)
    }

    @Test(arguments: [.max, 1 << 24, 1 << 32 | 1, 0] as [UInt64])
    func `a library whose device is none is told, and repaired with another`(device: UInt64) async throws {
        let library = try await DamageableLibrary.make(works: 5)
        let store = try library.open()
        try await store.database.write {
            try $0.put(.bigEndian(device), forKey: LibraryMeta.Name.device, in: LibraryTree.meta)
            for name in [LibraryMeta.Name.filingTailoring, LibraryMeta.Name.filedAs] {
                try $0.put(.bigEndian(UInt64(FilingTailoring.swedish.rawValue)), forKey: name, in: LibraryTree.meta)
            }
        }
        try await store.close()
        let verification = try library.verify()
        #expect(!verification.isSound)
        let (saved, report) = try await library.repaired()
        #expect(report.isComplete)
        expectSound(saved.snapshot)
        #expect(try LibraryMeta(saved.snapshot.version)?.filing == .swedish)
        let writable = try BookStore(at: "Saved.bookdb", fileSystem: library.fileSystem)
        try await writable.add("After")
        try await writable.close()
    }

    @Test func `another app's store is refused`() async throws {
        let fileSystem = MemoryFileSystem()
        let database = try Database.open(
            at: "Other", trees: [TreeDeclaration(TreeNumber(1), "photos")], fileSystem: fileSystem)
        try await database.write { try $0.put([1], forKey: 1, in: TreeNumber(1)) }
        try await database.close()
        let error = await libraryError { try await BookStore.repair(at: "Other", to: "Saved", fileSystem: fileSystem) }
        #expect(error?.sentence.contains("photos") == true)
    }

    @Test func `a name that commas surround is found when the others are known`() {
        let line = AuthorLine("Ann Lee, Martin Luther King, Jr., Bo")
        #expect(line.name(missingFrom: ["Ann Lee", nil, "Bo"], isInOrder: true) == "Martin Luther King, Jr.")
        #expect(line.name(missingFrom: [nil, "Bo", "Ann Lee"], isInOrder: true) == nil)
        #expect(AuthorLine("Ann Lee, Bo").name(missingFrom: ["Ann Lee", nil], isInOrder: false) == "Bo")
        #expect(AuthorLine("Ann Lee, Bo").name(missingFrom: [nil, "Bo"], isInOrder: false) == "Ann Lee")
        #expect(AuthorLine("Ann Lee, B…").name(missingFrom: ["Ann Lee", nil], isInOrder: true) == nil)
        #expect(AuthorLine("Ann Lee").name(missingFrom: [nil], isInOrder: true) == "Ann Lee")
        #expect(line.name(foldedTo: Array("martin luther king jr".utf8)) == "Martin Luther King, Jr.")
        #expect(line.name(foldedTo: Array("lee".utf8)) == nil)
        #expect(AuthorLine("Ann Lee").name(missingFrom: [nil, nil], isInOrder: true) == nil)
    }
}

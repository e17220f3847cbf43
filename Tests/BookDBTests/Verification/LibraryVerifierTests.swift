import StorageEngine
import Testing

@testable import BookDB
@testable import RecordStore

/// One wrong entry at a time, put in behind the library's back: each is found by the check that promises it.
struct LibraryVerifierTests {
    @Test func `a sound library passes every check`() async throws {
        let (store, _) = try await library()
        let verification = try await store.verify()
        #expect(verification.isSound)
        #expect(verification.checks.count == 10)
        #expect(verification.checks[0].detail == "2 works, 1 editions, 1 authors, 1 entries")
    }

    @Test func `a check whose task is cancelled ends, and says nothing of the library`() async throws {
        let (store, _) = try await library()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            #expect(LibraryVerifier.verify(store.snapshot).checks[0].detail.isEmpty, "it went on")
            return try await store.verify()
        }
        task.cancel()
        await #expect(throws: LibraryError.cancelled) { try await task.value }
        #expect(try await store.verify().isSound)
    }

    @Test func `a missing key of each index is found`() async throws {
        for tree in [
            LibraryTree.isbns, LibraryTree.sources, LibraryTree.matchKeys,
            LibraryTree.authorNames, LibraryTree.editionHomes,
        ] {
            let (store, _) = try await library()
            let key = try firstKey(of: tree, in: store)
            try await store.write { library in try library.remove(key, in: tree) }
            let check = try failedChecks(store, "indexes")
            #expect(check.problemCount >= 1, "tree \(tree)")
        }
    }

    @Test func `a stray key of each derived tree is found and named`() async throws {
        for tree in [
            LibraryTree.isbns, LibraryTree.sources, LibraryTree.matchKeys, LibraryTree.authorNames,
            LibraryTree.editionHomes, LibraryTree.texts, LibraryTree.title,
        ] + WorkIndex.all.dropFirst().map(\.tree) {
            let (store, _) = try await library()
            var key = try firstKey(of: tree, in: store)
            key[tree == LibraryTree.texts ? 7 : key.count - 1] ^= 0x40
            let stray = key
            try await store.write { library in try library.put([], forKey: stray, in: tree) }
            let verification = LibraryVerifier.verify(store.snapshot)
            // An edition that is not there may also have an identifier that was never given out.
            let failed = verification.checks.filter { !$0.passed && $0.name != "identifiers" }
            #expect(failed.count == 1, "tree \(tree)")
            #expect(failed.first?.items.last?.contains("stray") == true, "tree \(tree): \(failed)")
        }
    }

    @Test func `a missing row, place or text is found`() async throws {
        for (tree, name) in WorkIndex.all.map({ ($0.tree, "orders") }) + [(LibraryTree.texts, "records")] {
            let (store, _) = try await library()
            let key = try firstKey(of: tree, in: store)
            try await store.write { library in try library.remove(key, in: tree) }
            _ = try failedChecks(store, name)
        }
    }

    @Test func `wrong facets are found`() async throws {
        let (store, _) = try await library()
        let key = try firstKey(of: LibraryTree.addedOrder, in: store)
        try await store.write { library in
            try library.put([], forKey: key, facets: FacetSet(Facet(4)), in: LibraryTree.addedOrder)
        }
        let check = try failedChecks(store, "counts")
        #expect(check.items.contains { $0.contains("paused") })
    }

    @Test func `a reference to nothing is found`() async throws {
        let (store, ids) = try await library()
        try await store.write { library in try library.remove(ids.author.rawValue, in: LibraryTree.authors) }
        let check = try failedChecks(store, "references")
        #expect(check.items == ["“Emma” names the author \(ids.author), who is not there."])

        let (other, otherIDs) = try await self.library()
        try await other.write { library in try library.remove(.work(otherIDs.work)) }
        #expect(try failedChecks(other, "references").problemCount == 2)
    }

    @Test func `an identifier that could be given out twice is found`() async throws {
        let (store, _) = try await library()
        try await store.write { library in
            try library.put(.bigEndian(2), forKey: LibraryMeta.Name.nextCounter, in: LibraryTree.meta)
        }
        _ = try failedChecks(store, "identifiers")
    }

    @Test func `a record that cannot be read does not hide the problems of others`() async throws {
        let (store, ids) = try await library()
        let key = try firstKey(of: LibraryTree.isbns, in: store)
        try await store.write { library in
            try library.put([0xFF], forKey: .work(ids.other), isNew: false)
            try library.remove(key, in: LibraryTree.isbns)
        }
        let names = LibraryVerifier.verify(store.snapshot).checks.filter { !$0.passed }.map(\.name)
        #expect(names.contains("records") && names.contains("indexes"))
    }

    // MARK: Pieces

    private struct IDs {
        let work: ID<Work>, other: ID<Work>, author: ID<Author>
    }

    private func library() async throws -> (BookStore, IDs) {
        let store = try BookStore.inMemory(device: 1)
        let ids = try await store.write { library in
            let author = try library.insert(Author("Jane Austen"))
            var work = Work("Emma", by: author)
            work.description = "A novel about youthful hubris."
            work.language = "en"
            work.series = [SeriesMembership(name: "Novels", number: "4")]
            let id = try library.insert(work)
            try library.insert(.full(of: id))
            try library.set(UserLibraryEntry(for: id, status: .read, notes: "Again.", tags: ["Regency"]))
            return IDs(work: id, other: try library.insert(Work("Anonymous")), author: author)
        }
        return (store, ids)
    }

    private func firstKey(of tree: TreeNumber, in store: BookStore) throws -> [UInt8] {
        try #require(try store.snapshot.version.entry(at: 0, in: tree)).withKey { $0.copyBytes(0..<$0.byteCount) }
    }

    private func failedChecks(_ store: BookStore, _ name: String) throws -> LibraryVerification.Check {
        let verification = LibraryVerifier.verify(store.snapshot)
        #expect(!verification.isSound)
        return try #require(verification.checks.first { $0.name == name && !$0.passed })
    }
}

import LibrarySupport
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore
@testable import StorageEngine

/// The records of a work lie side by side: keys say which is what.
struct BookKeyTests {
    private static let works = [
        ID<Work>(device: 1, counter: 1), ID<Work>(device: 1, counter: 2), ID<Work>(device: 2, counter: 1),
        ID<Work>(device: IDLayout.maximumDevice, counter: IDLayout.maximumCounter), ID<Work>(rawValue: 1),
    ]

    private static func keys(of work: ID<Work>) -> [BookKey] {
        let editions = works.map { BookKey.edition(work, ID(rawValue: $0.rawValue)) }
        return [.work(work), .entry(work)] + editions
    }

    @Test func `a key reads back as it was made, and every other text of bytes is none`() throws {
        for key in Self.works.flatMap(Self.keys) {
            let bytes = key.bytes
            #expect(bytes.count == BookKey.byteCount && BookKey(bytes) == key)
            #expect(BookKey(Array(bytes.dropLast())) == nil && BookKey(bytes + [0]) == nil)
            for part in UInt8(3)...255 {
                var other = bytes
                other[8] = part
                #expect(BookKey(other) == nil)
            }
            guard key.edition == nil else { continue }
            var far = bytes
            far[16] = 1
            #expect(BookKey(far) == nil, "only editions have a distance")
        }
        #expect(BookKey([]) == nil)
    }

    @Test func `all that belongs to a work is one range: the work, its entry, its editions`() {
        for work in Self.works {
            let keys = Self.keys(of: work).map(\.bytes)
            #expect(keys.allSatisfy { $0.starts(with: [UInt8].bigEndian(work.rawValue)) })
            #expect(keys[0].lexicographicallyPrecedes(keys[1]))
            #expect(keys[2...].allSatisfy { keys[1].lexicographicallyPrecedes($0) })
            #expect(Set(keys).count == keys.count)
        }
    }

    /// What lies 2⁶³ identifiers away has a distance that wraps around.
    @Test func `editions stand by their identifiers, also those of devices that are far apart`() async throws {
        try await withLibrary { store in
            let work = try await store.write { library in try library.insert(Work("Emma")) }
            let devices: [UInt32] = [0xF0_0000, 2, 0x80_0000, 0x7F_FFFF, 0x90_0000]
            let ids = devices.map { ID<Edition>(device: $0, counter: 7) }
            try await store.write { library in
                for id in ids { _ = try library.insert(Edition(of: work), as: id) }
            }
            for _ in 0..<2 {
                #expect(try store.snapshot.editions.of(work).map(\.id) == ids.sorted())
                #expect(try store.snapshot.works.details(work)?.editions.map(\.id) == ids.sorted())
                for id in ids { #expect(try store.snapshot.editions[id]?.work == work) }
                expectSound(store.snapshot)
                _ = try await store.compact()
            }
        }
    }

    @Test func `each kind is counted for itself, whatever comes, moves and goes`() async throws {
        try await withLibrary { store in
            let (first, second) = try await store.write { library in
                let works = (try library.insert(Work("Emma")), try library.insert(Work("Persuasion")))
                for _ in 0..<3 { _ = try library.insert(Edition(of: works.0)) }
                try library.set(UserLibraryEntry(for: works.1, status: .read))
                return works
            }
            func counts() throws -> [Int] {
                let snapshot = store.snapshot
                return [try snapshot.works.count, try snapshot.editions.count, try snapshot.entries.count]
            }
            #expect(try counts() == [2, 3, 1])
            var edition = try #require(try store.snapshot.editions.of(first).first)
            edition.work = second
            try await store.write { [edition] library in try library.update(edition) }
            #expect(try counts() == [2, 3, 1])
            #expect(try store.snapshot.editions.of(second).map(\.id) == [edition.id])
            _ = try await store.compact()
            try await store.write { library in _ = try library.delete(second) }
            #expect(try counts() == [1, 2, 0])
            expectSound(store.snapshot)
        }
    }

    @Test func `hints and comparisons count each kind for itself, though they share a tree`() async throws {
        try await withLibrary { store in
            let (work, author) = try await store.write { library in
                let author = try library.insert(Author("Jane Austen"))
                let work = try library.insert(Work("Emma", by: author))
                for _ in 0..<3 { _ = try library.insert(Edition(of: work)) }
                try library.set(UserLibraryEntry(for: work, status: .read))
                return (work, author)
            }
            let snapshot = store.snapshot
            let found = try snapshot.identifiers(beginningWith: String(work.description.prefix(6)), limit: 10)
            let kinds = Dictionary(grouping: found.first, by: \.kind).mapValues(\.count)
            #expect(found.count == 5 && kinds == ["work": 1, "edition": 3, "author": 1])
            #expect(try snapshot.identifiers(beginningWith: work.description).first.map(\.id) == [work.description])
            #expect(try snapshot.identifiers(beginningWith: author.description).first.map(\.kind) == ["author"])
            let comparison = try snapshot.differences(from: snapshot) { _ in }
            let counts = Dictionary(uniqueKeysWithValues: comparison.kinds.map { ($0.name, $0.firstCount) })
            #expect(counts == ["author": 1, "work": 1, "edition": 3, "entry": 1])
        }
    }

    @Test func `what a lost work has left is shown by nobody, and a key too short for an identifier is no hint`()
        async throws
    {
        let store = try BookStore.inMemory(device: 1)
        let work = try await store.write { library in
            let work = try library.insert(Work("Emma"))
            _ = try library.insert(Edition(of: work))
            return work
        }
        let edition = try #require(try store.snapshot.editions.of(work).first?.id)
        try await store.write { library in
            try library.remove(.work(work))
            try library.put([0xFF], forKey: .edition(work, edition), isNew: false)
            try library.put([], forKey: [0, 0, 1], in: LibraryTree.authors)
        }
        #expect(try store.snapshot.works.details(work) == nil)
        #expect(throws: LibraryError.self) { try store.snapshot.editions.of(work) }
        #expect(try store.snapshot.identifiers(beginningWith: "000001").first.map(\.kind) == ["edition"])
    }

    @Test func `a record that counts as one of another kind, and a key that names nothing, are found`() async throws {
        let store = try BookStore.inMemory(device: 1)
        let work = try await store.write { library in try library.insert(Work("Emma")) }
        func findings() -> [String] { LibraryVerifier.verify(store.snapshot).checks.flatMap(\.items) }
        let record = try #require(try store.snapshot.version.recordBytes(.work(work)))
        try await store.write { library in
            let facets = BookKey.entry(work).kind.facets
            try library.put(record, forKey: BookKey.work(work).bytes, facets: facets, in: LibraryTree.books)
        }
        #expect(findings().contains("The record of work \(work) counts as another."))
        try await store.write { library in
            try library.put(record, forKey: BookKey.work(work), isNew: false)
            try library.put([1], forKey: [1, 2, 3], in: LibraryTree.books)
        }
        #expect(findings() == ["A key among the records of works names nothing: 010203."])
    }

    /// As a repair does that has lost the page a key lay in: what an enemy wrote counts in nothing that it is not.
    @Test func `a repair counts records by their keys, whatever their facets say`() async throws {
        let library = try await DamageableLibrary.make(works: 3)
        let database = try Database.open(
            at: DamageableLibrary.path, trees: LibraryContents.books.allTrees, fileSystem: library.fileSystem)
        let id = try #require(try library.open(.readOnly).snapshot.works.list().first?.id)
        let record = try #require(try database.version.recordBytes(.work(id)))
        try await database.write { transaction in
            try transaction.put(
                record, forKey: BookKey.work(id).bytes, facets: BookKey.entry(id).kind.facets, in: LibraryTree.books)
        }
        try await database.close()
        let (store, _) = try await library.repaired()
        #expect(try store.snapshot.works.count == 3)
        expectSound(store.snapshot)
    }
}

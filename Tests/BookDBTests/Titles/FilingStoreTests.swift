import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// The tailoring of a library: given at its beginning, kept, changed.
@Suite struct FilingStoreTests {
    private let titles = ["Zoo", "Åland", "Äpple", "Apa", "Öken", "Orm", "Ærø"]
    private let swedish = ["Apa", "Orm", "Zoo", "Åland", "Äpple", "Ærø", "Öken"]
    private let path = "Library.bookdb"

    private func fill(_ store: BookStore) async throws {
        for title in titles { try await store.add(title, by: "\(title) \(title)son") }
    }

    @Test func `a library files as it was begun, in memory too`() async throws {
        let store = try BookStore.inMemory(filing: .swedish)
        try await fill(store)
        #expect(store.snapshot.works.list().titles == swedish)
        #expect(try store.snapshot.filing == .swedish)
        #expect(store.snapshot.works.list(.titled("ä")).titles == ["Äpple", "Ærø"])
        #expect(store.snapshot.works.list(.titled("a")).titles == ["Apa"])
        let id = try #require(store.snapshot.works.list(.titled("öken")).first?.id)
        #expect(try store.snapshot.works.list().index(of: id) == 6)
        expectSound(store.snapshot)
    }

    @Test func `a library keeps its tailoring, whatever it is opened with`() async throws {
        let fileSystem = MemoryFileSystem()
        var store = try BookStore(at: path, filing: .swedish, fileSystem: fileSystem)
        try await fill(store)
        try await store.close()
        store = try BookStore(at: path, filing: .danish, fileSystem: fileSystem)
        try await store.add("Ål", by: "Å Åson")
        #expect(try store.snapshot.filing == .swedish)
        #expect(store.snapshot.works.list().titles == Array(swedish.prefix(3)) + ["Ål"] + Array(swedish.dropFirst(3)))
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `another tailoring files everything anew, and once`() async throws {
        let fileSystem = MemoryFileSystem()
        var store = try BookStore(at: path, fileSystem: fileSystem)
        try await fill(store)
        #expect(store.snapshot.works.list().titles == ["Ærø", "Åland", "Apa", "Äpple", "Öken", "Orm", "Zoo"])
        let kept = store.snapshot
        try await store.setFiling(.swedish)
        #expect(store.snapshot.works.list().titles == swedish)
        #expect(store.snapshot.works.list(by: .author).titles == swedish)
        #expect(kept.works.list(.titled("åland")).titles == ["Åland"], "an older snapshot finds by its own tailoring")
        expectSound(store.snapshot)
        let id = try #require(store.snapshot.works.list(.titled("apa")).first?.id)
        try await store.update(id) { $0.title = "Ödla" }
        #expect(store.snapshot.works.list().titles.last == "Öken")
        expectSound(store.snapshot)
        try await store.setFiling(.swedish)
        #expect(store.snapshot.works.list().titles.first == "Orm")
        try await store.close()
        store = try BookStore(at: path, fileSystem: fileSystem)
        #expect(try store.snapshot.filing == .swedish)
        try await store.setFiling(.standard)
        #expect(try store.snapshot.filing == .standard)
        expectSound(store.snapshot)
        try await store.close()
        #expect(try BookStore.verify(at: path, fileSystem: fileSystem).isSound)
    }

    @Test(arguments: [false, true])
    func `a library of thousands is filed anew in one commit, with its search file`(isCompacted: Bool) async throws {
        let fileSystem = MemoryFileSystem()
        let store = try BookStore(at: path, fileSystem: fileSystem)
        try await store.fill(withSample: 6_000)
        try await fill(store)
        if isCompacted { try await store.compact() }
        let (before, commit) = (store.snapshot.works.list().titles, store.snapshot.commitNumber)
        try await store.setFiling(.swedish)
        #expect(store.snapshot.commitNumber == commit + 1)
        let after = store.snapshot.works.list().titles
        #expect(after != before && after.sorted() == before.sorted())
        expectSound(store.snapshot)
        #expect(try store.snapshot.works.search("äple").first(1).map(\.item.title) == ["Äpple"])
        try await store.setFiling(.standard)
        #expect(store.snapshot.works.list().titles == before)
        expectSound(store.snapshot)
        try await store.close()
        #expect(try BookStore.verify(at: path, fileSystem: fileSystem).isSound)
    }

    /// The later version that knows the tailoring finds it chosen, and that the keys were made by another.
    @Test func `a library whose tailoring is not known here is filed as standard, and the choice stays`() async throws {
        let fileSystem = MemoryFileSystem()
        var store = try BookStore(at: path, filing: .swedish, fileSystem: fileSystem)
        try await fill(store)
        try await store.write { library in
            try library.put(.bigEndian(9), forKey: LibraryMeta.Name.filingTailoring, in: LibraryTree.meta)
        }
        try await store.close()
        store = try BookStore(at: path, fileSystem: fileSystem)
        try await store.add("Ål", by: "A B")
        #expect(try store.snapshot.filing == .standard)
        #expect(try LibraryMeta(store.snapshot.version)?.isFiledAsNow == true)
        expectSound(store.snapshot)
        let stored = { (name: [UInt8]) in try store.snapshot.version.bytes(forKey: name, in: LibraryTree.meta) }
        #expect(try stored(LibraryMeta.Name.filingTailoring) == .bigEndian(9))
        #expect(try stored(LibraryMeta.Name.filedAs) == .bigEndian(0))

        // Who chooses what the library is filed by has chosen all the same.
        try await store.setFiling(.standard)
        #expect(try stored(LibraryMeta.Name.filingTailoring) == .bigEndian(0))
        expectSound(store.snapshot)

        // As if this were the later version, and 9 were 1.
        try await store.write { library in
            try library.put(.bigEndian(0), forKey: LibraryMeta.Name.filedAs, in: LibraryTree.meta)
            try library.put(.bigEndian(1), forKey: LibraryMeta.Name.filingTailoring, in: LibraryTree.meta)
        }
        #expect(try LibraryMeta(store.snapshot.version)?.isFiledAsNow == false)
        try await store.add("Öl", by: "A B")
        #expect(try store.snapshot.filing == .swedish)
        #expect(try LibraryMeta(store.snapshot.version)?.isFiledAsNow == true)
        #expect(store.snapshot.works.list().titles.last == "Öl")
        expectSound(store.snapshot)

        // A choice of this version's is as it was before.
        try await store.setFiling(.standard)
        #expect(try LibraryMeta(store.snapshot.version)?.isFiledAsNow == true)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `lists skip from section to section by their bounds`() async throws {
        let store = try BookStore.inMemory(filing: .swedish)
        try await fill(store)
        let version = store.snapshot.version
        var labels: [String] = []
        var key: [UInt8]? = []
        while let last = key {
            var found: [UInt8]?
            try version.scan(LibraryTree.title, after: last) { key, _ in
                found = key.copyBytes(0..<key.byteCount)
                return false
            }
            guard let found else { break }
            let section = FilingSection(key: found, tailoring: try store.snapshot.filing)
            labels.append(section.label)
            key = section.upperBound
        }
        #expect(labels == ["A", "O", "Z", "Å", "Ä", "Ö"])
    }
}

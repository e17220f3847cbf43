import StorageEngine
import TestSupport
import Testing

@testable import BookDB

/// One flipped bit in the snapshot file, in a place of one's choice.
struct DamagedLibraryTests {
    private let path = "Library.bookdb"

    @Test func `damaged records are named by the titles of their works, and the list goes on`() async throws {
        let fileSystem = try await library()
        // The subtitle is in the record and nowhere else.
        try flip("Subtitle 0500", in: fileSystem)
        let store = try BookStore(at: path, access: .readOnly, fileSystem: fileSystem)
        let list = store.snapshot.works.sorted()
        #expect(list.count == 1_000)
        #expect(!list.contains { !$0.isReadable })
        let id = try #require(list.first { $0.title == "Book 0500" }).id
        #expect {
            try store.snapshot.works[id]
        } throws: { error in
            if case .damaged = error as? BookError { true } else { false }
        }
        #expect(try store.snapshot.works[list[0].id]?.subtitle == "Subtitle 0000")

        let verification = try BookStore.verify(at: path, fileSystem: fileSystem)
        #expect(!verification.isSound)
        #expect(verification.damage.count == 1)
        #expect(verification.damage.first?.contains("In “works”") == true)
        #expect(verification.damage.first?.contains("“Book 0") == true)
        #expect(verification.damage.first?.contains("entries cannot be read, which belong to") == true)
    }

    @Test func `a damaged page of the list is a stretch of unreadable items with identifiers of their own`()
        async throws
    {
        let fileSystem = try await library()
        try flip("Author 0500", in: fileSystem)
        let store = try BookStore(at: path, access: .readOnly, fileSystem: fileSystem)
        for order in WorkOrder.allCases {
            let list = store.snapshot.works.sorted(by: order)
            let items = Array(list)
            #expect(items.count == 1_000)
            let unreadable = items.filter { !$0.isReadable }
            #expect((1..<100).contains(unreadable.count), "one page of rows")
            #expect(!unreadable.contains { !$0.title.isEmpty || $0.rating != nil })
            #expect(Set(items.map(\.id)).count == 1_000)
            let readable = try #require(items.first { $0.isReadable })
            #expect(try store.snapshot.works.details(readable.id)?.work.title == readable.title)
            #expect {
                try list.page(offset: 0, limit: 1_000)
            } throws: { error in
                if case .damaged = error as? BookError { true } else { false }
            }
        }
        #expect(try !BookStore.verify(at: path, fileSystem: fileSystem).isSound)
    }

    @Test func `every flipped bit is found, and nothing read from a damaged library traps`() async throws {
        let seed = SeededGenerator.seed(for: "every flipped bit is found")
        var random = SeededGenerator(seed: seed)
        let original = try await library(works: 60)
        let file = try snapshotFile(original)
        let bytes = try contents(of: file)
        // Between the texts and the copy of the head, in the last page, the file is padded; nobody reads those bytes.
        let copyOfHead = bytes.count - 4096
        let endOfTexts = try #require(bytes[..<copyOfHead].lastIndex { $0 != 0 }) + 1
        for _ in 0..<60 {
            let byteOffset = Int.random(in: 0..<bytes.count, using: &random)
            guard !(endOfTexts..<copyOfHead).contains(byteOffset) else { continue }
            let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            try change(byteOffset, by: bit, in: file)
            let isSound = (try? BookStore.verify(at: path, fileSystem: original).isSound) ?? false
            #expect(!isSound, "seed \(seed), byte \(byteOffset)")
            if let store = try? BookStore(at: path, access: .readOnly, fileSystem: original) {
                readEverything(store.snapshot)
            }
            try change(byteOffset, by: bit, in: file)
        }
        #expect(try BookStore.verify(at: path, fileSystem: original).isSound)
    }

    // MARK: Pieces

    private func library(works: Int = 1_000) async throws -> MemoryFileSystem {
        let fileSystem = MemoryFileSystem()
        let store = try BookStore(at: path, fileSystem: fileSystem, device: 1)
        try await store.write { library in
            for number in 0..<works {
                let digits = String(10_000 + number).dropFirst()
                let author = try library.insert(Author("Author \(digits)"))
                var work = Work("Book \(digits)", by: author)
                work.subtitle = "Subtitle \(digits)"
                work.description = "About book \(digits), in more words than fit beside a key in a page of a tree."
                let id = try library.insert(work)
                try library.insert(Edition(of: id, isbns: [], publisher: "Publisher \(digits)"))
                if number.isMultiple(of: 3) { try library.set(.full(for: id)) }
            }
        }
        try await store.compact()
        try await store.close()
        return fileSystem
    }

    private func snapshotFile(_ fileSystem: MemoryFileSystem) throws -> any File {
        let inspection = try StoreInspection(at: path, fileSystem: fileSystem)
        let name = try #require(inspection.files.last { $0.role == .snapshot }).name
        return try fileSystem.openFile(path + "/" + name, .writing)
    }

    /// Flips a bit in the first occurrence of a text.
    private func flip(_ text: String, in fileSystem: MemoryFileSystem) throws {
        let file = try snapshotFile(fileSystem)
        let bytes = try contents(of: file)
        let pattern = Array(text.utf8)
        let found = (0..<bytes.count - pattern.count).first { bytes[$0..<$0 + pattern.count].elementsEqual(pattern) }
        try change(try #require(found), by: 1, in: file)
    }

    private func contents(of file: any File) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: try file.byteCount())
        _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return bytes
    }

    private func change(_ byteOffset: Int, by mask: UInt8, in file: any File) throws {
        let byte = [try contents(of: file)[byteOffset] ^ mask]
        try byte.withUnsafeBytes { try file.write($0, at: byteOffset) }
    }

    private func readEverything(_ snapshot: Snapshot) {
        for order in WorkOrder.allCases {
            for item in snapshot.works.sorted(by: order) {
                _ = (item.title, item.authors, item.isReadable)
                _ = try? snapshot.works.details(item.id)
                _ = try? snapshot.works.position(of: item.id, sortedBy: order)
            }
        }
        _ = snapshot.works.titled("book").count
        try? snapshot.export { _ in }
        _ = LibraryVerifier.verify(snapshot)
    }
}

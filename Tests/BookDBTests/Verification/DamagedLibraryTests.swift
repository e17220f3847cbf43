import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// One flipped bit in the snapshot file, in a place of one's choice.
struct DamagedLibraryTests {
    private let path = DamageableLibrary.path

    @Test func `damaged records are named by the titles of their works, and the list goes on`() async throws {
        let library = try await DamageableLibrary.make(works: 300)
        let fileSystem = library.fileSystem
        try library.flip("Subject 0150")
        let store = try BookStore(at: path, access: .readOnly, fileSystem: fileSystem)
        let list = store.snapshot.works.list()
        #expect(list.count == 300)
        #expect(!list.contains { !$0.isReadable })
        let id = try #require(list.first { $0.title == "Book 0150" }).id
        #expect {
            try store.snapshot.works[id]
        } throws: { error in
            if case .damaged = error as? LibraryError { true } else { false }
        }
        #expect(try store.snapshot.works[list[0].id]?.subtitle == "Subtitle 0000")

        let verification = try BookStore.verify(at: path, fileSystem: fileSystem)
        #expect(!verification.isSound)
        #expect(verification.damage.count == 1)
        #expect(verification.damage.first?.inside?.hasPrefix("the records of works") == true)
        #expect(verification.damage.first?.loss.contains("of the records of works cannot be read: of “Book 0") == true)
    }

    @Test func `a page of records that cannot be read hides no others, and no index is accused for it`() async throws {
        let library = try await DamageableLibrary.make(works: 300)
        try library.flip("Subject 0150")
        let store = try library.open(.readOnly)
        let checks = try await store.verify().checks
        let records = try #require(checks.first { $0.name == "records" })
        #expect(records.problemCount == 1 && (1..<100).contains(records.uncheckedCount), "\(records)")
        for name in ["orders", "counts", "indexes", "texts"] {
            let check = try #require(checks.first { $0.name == name })
            #expect(check.passed && check.uncheckedCount > 0, "\(check)")
        }
    }

    @Test func `a damaged page of the list is a stretch of unreadable items with identifiers of their own`()
        async throws
    {
        let library = try await DamageableLibrary.make(works: 300)
        let fileSystem = library.fileSystem
        try library.flip("Author 0150")
        let store = try BookStore(at: path, access: .readOnly, fileSystem: fileSystem)
        for order in WorkOrder.allCases {
            let list = store.snapshot.works.list(by: order)
            let items = Array(list)
            #expect(items.count == 300)
            let unreadable = items.filter { !$0.isReadable }
            #expect((1..<100).contains(unreadable.count), "one page of rows")
            #expect(!unreadable.contains { !$0.title.isEmpty || $0.rating != nil })
            #expect(Set(items.map(\.id)).count == 300)
            let readable = try #require(items.first { $0.isReadable })
            #expect(try store.snapshot.works.details(readable.id)?.work.title == readable.title)
            #expect {
                try list.page(offset: 0, limit: 300)
            } throws: { error in
                if case .damaged = error as? LibraryError { true } else { false }
            }
        }
        #expect(try !BookStore.verify(at: path, fileSystem: fileSystem).isSound)
    }

    @Test func `every flipped bit is found, and nothing read from a damaged library traps`() async throws {
        let seed = SeededGenerator.seed(for: "every flipped bit is found")
        var random = SeededGenerator(seed: seed)
        let library = try await DamageableLibrary.make(works: 60)
        let original = library.fileSystem
        let snapshot = try library.snapshotPath
        let bytes = try library.bytes(of: snapshot)
        // Between the texts and the copy of the head, in the last page, the file is padded; nobody reads those bytes.
        let copyOfHead = bytes.count - 4096
        let endOfTexts = try #require(bytes[..<copyOfHead].lastIndex { $0 != 0 }) + 1
        for _ in 0..<60 {
            let byteOffset = Int.random(in: 0..<bytes.count, using: &random)
            guard !(endOfTexts..<copyOfHead).contains(byteOffset) else { continue }
            let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            try library.flip(byteOffset, of: snapshot, mask: bit)
            let isSound = (try? BookStore.verify(at: path, fileSystem: original).isSound) ?? false
            #expect(!isSound, "seed \(seed), byte \(byteOffset)")
            if let store = try? BookStore(at: path, access: .readOnly, fileSystem: original) {
                readEverything(store.snapshot)
            }
            try library.flip(byteOffset, of: snapshot, mask: bit)
        }
        #expect(try BookStore.verify(at: path, fileSystem: original).isSound)
    }

    // MARK: Pieces

    private func readEverything(_ snapshot: Snapshot) {
        for order in WorkOrder.allCases {
            for item in snapshot.works.list(by: order) {
                _ = (item.title, item.authors, item.isReadable)
                _ = try? snapshot.works.details(item.id)
                _ = try? snapshot.works.list(by: order).index(of: item.id)
            }
        }
        _ = snapshot.works.list(.titled("book")).count
        try? snapshot.export { _ in }
        _ = LibraryVerifier.verify(snapshot)
    }
}

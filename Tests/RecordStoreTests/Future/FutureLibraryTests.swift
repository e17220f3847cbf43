import LibrarySupport
import Testing

@testable import RecordStore
@testable import StorageEngine

/// A library whose snapshot a later version has written with features that this one does not know.
@Suite struct FutureLibraryTests {
    /// Three accounts in a snapshot with such a feature: the bits at `byteOffset` of its superblocks.
    private func library(_ bits: UInt32, at byteOffset: Int) async throws -> DamageableLibrary {
        let library = try await DamageableLibrary.make()
        let store = try library.open()
        for number in 0..<3 { try await store.insert(LedgerAccount(name: "Account \(number)")) }
        try await store.compact()
        try await store.close()
        var bytes = try library.bytes(of: library.snapshotPath)
        for start in [0, bytes.count - 4096] {
            var page = Array(bytes[start..<start + 4096])
            page.store(bits, in: Field<UInt32>("features", at: byteOffset))
            page.store(CRC32C.checksum(page, before: SuperblockField.checksum), in: SuperblockField.checksum)
            bytes.replaceSubrange(start..<start + 4096, with: page)
        }
        try library.replace(library.snapshotPath, with: bytes)
        return library
    }

    @Test
    func `a library that may only be read is read, exported and repaired, and says so when it is opened for writing`()
        async throws
    {
        let library = try await library(8, at: SuperblockField.readOnly.offset)
        let path = try library.snapshotPath
        #expect(throws: LibraryError.unknownFeatures(path: path, bits: 8, canBeRead: true)) { try library.open() }
        #expect(try library.verify().damage.isEmpty)
        let reading = try library.open(.readOnly)
        #expect(try reading.snapshot.records(LedgerAccount.self).count == 3)
        let lines = try reading.snapshot.exportedLines()
        #expect(lines.count == 4)
        let (saved, report) = try await library.repaired()
        #expect(report.lost.isEmpty)
        #expect(try saved.snapshot.exportedLines() == lines)
        // What this version has written has no feature that it does not know.
        let written = DamageableLibrary(fileSystem: library.fileSystem)
        let snapshots = try written.fileSystem.names(inDirectory: "Saved.bookdb").filter { $0.hasPrefix("snapshot-") }
        for name in snapshots {
            #expect(try written.bytes(of: "Saved.bookdb/\(name)")[104..<4092].allSatisfy { $0 == 0 })
        }
    }

    @Test func `a library that cannot be read without a feature is refused by all, with what to do`() async throws {
        let library = try await library(1, at: SuperblockField.incompatible.offset)
        let path = try library.snapshotPath
        let expected = LibraryError.unknownFeatures(path: path, bits: 1, canBeRead: false)
        #expect(throws: expected) { try library.open() }
        #expect(throws: expected) { try library.open(.readOnly) }
        #expect(throws: expected) { try library.verify() }
        await #expect(throws: expected) { try await library.repaired() }
        #expect(expected.description.contains(path) && expected.description.hasSuffix("→ update BookDB"))
    }

    @Test func `a feature that may be ignored changes nothing, and a compaction leaves it behind`() async throws {
        let library = try await library(0xFFFF_FFFF, at: SuperblockField.compatible.offset)
        let store = try library.open()
        try await store.insert(LedgerAccount(name: "Account 3"))
        try await store.compact()
        try await store.close()
        #expect(try library.bytes(of: library.snapshotPath)[104..<4092].allSatisfy { $0 == 0 })
        #expect(try library.verify().damage.isEmpty)
        #expect(try library.open(.readOnly).snapshot.records(LedgerAccount.self).count == 4)
    }
}

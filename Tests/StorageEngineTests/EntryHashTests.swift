import TestSupport
import Testing

@testable import StorageEngine

/// The hash of entries, against the plain form of what `Formats/SNAPSHOT.md` says.
@Suite struct EntryHashTests {
    private func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        bytes.withBytes { EntryHash.hash($0, seed: seed) }
    }

    @Test func `the hash of an entry is the one that the format page gives as its example`() throws {
        let hash = hash(Array("emma".utf8), seed: hash(Array("row 0".utf8)))
        let text = try String(
            decoding: PosixFileSystem().bytes(of: repositoryRoot + "/Formats/SNAPSHOT.md"), as: UTF8.self)
        #expect(text.contains("The hash of `emma` and `row 0`, as an entry, is `\(hash.hexadecimal)`."))
    }

    @Test func `random bytes of every length up to 100 have the hash that plain loops find`() {
        var generator = SeededGenerator.forTest(fallback: 61)
        for count in 0...100 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let seed = UInt64.random(in: .min ... .max, using: &generator)
            #expect(hash(bytes, seed: seed) == PlainHash.hash(bytes, seed: seed))
        }
    }

    @Test func `zeros of every length, and every changed bit, have hashes of their own`() {
        var hashes: Set<UInt64> = []
        for count in 0...200 { hashes.insert(hash([UInt8](repeating: 0, count: count))) }
        #expect(hashes.count == 201)
        for bit in 0..<8 * 40 {
            var bytes = [UInt8](repeating: 0, count: 40)
            bytes[bit / 8] = 1 << UInt8(bit % 8)
            hashes.insert(hash(bytes))
        }
        #expect(hashes.count == 201 + 320)
    }

    /// A factor of zero would erase the state: the words that the constants are taken from.
    @Test func `words that equal the constants do not erase what came before them`() {
        let constant = 0x8bb8_4b93_962e_acc9 as UInt64
        let words = (0..<16).map { UInt8(truncatingIfNeeded: $0 < 8 ? constant >> UInt64(8 * $0) : 0) }
        #expect(hash([1] + [UInt8](repeating: 0, count: 15) + words) != hash([UInt8](repeating: 0, count: 16) + words))
    }
}

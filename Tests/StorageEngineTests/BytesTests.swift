import CCRC32C
import TestSupport
import Testing

@testable import StorageEngine

@Suite struct BytesTests {
    @Test func `the checksum of "123456789" is the published one`() {
        #expect(CRC32C.checksum(Array("123456789".utf8)) == 0xE306_9283)
        #expect(CRC32C.checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    }

    @Test func `the processor's checksum and the portable one agree at every length`() {
        var generator = SeededGenerator.forTest(fallback: 4)
        let bytes = (0..<9_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        // Around the three lanes, short and long, and several of them.
        for count in [0...300, 500...520, 1004...1012, 4028...4100, 8990...9000].joined() {
            let expected = bytes.withUnsafeBytes { bookdb_crc32c_portable(0, $0.baseAddress, count) }
            #expect(CRC32C.checksum(Array(bytes[..<count])) == expected)
            let half = CRC32C.checksum(Array(bytes[..<(count / 2)]))
            #expect(CRC32C.checksum(Array(bytes[(count / 2)..<count]), seed: half) == expected)
        }
    }

    @Test func `LZ4 gives back what it took and refuses what it did not make`() {
        let text = Array(String(repeating: "compress me ", count: 500).utf8)
        let compressed = text.withBytes { LZ4Block.compress($0, into: text.count) }!
        #expect(compressed.count < text.count / 10)
        func decompressed(_ source: [UInt8], _ byteCount: Int) -> [UInt8]? {
            source.withBytes { LZ4Block.decompress($0, byteCount: byteCount) }
        }
        #expect(decompressed(compressed, text.count) == text)
        #expect(decompressed(compressed.dropLast(), text.count) == nil)
        #expect(decompressed(compressed, text.count - 1) == nil)
        #expect(decompressed(compressed, text.count + 1) == nil)
        var generator = SeededGenerator.forTest(fallback: 4)
        for _ in 0..<500 {
            let noise = (0..<Int.random(in: 1...200, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            _ = decompressed(noise, text.count)
        }
    }

    @Test func `LZ4 gives the first bytes of what it took, and looks at none of the rest`() {
        var generator = SeededGenerator.forTest(fallback: 4)
        let words = ["compress ", "me ", "again ", "and ", "again, "]
        let text = (0..<900).flatMap { _ in Array(words.randomElement(using: &generator)!.utf8) }
        let compressed = text.withBytes { LZ4Block.compress($0, into: text.count) }!
        func start(_ source: [UInt8], _ byteCount: Int) -> [UInt8]? {
            source.withBytes { LZ4Block.decompress($0, prefix: byteCount) }
        }
        for count in [1, 2, 3, 17, text.count / 2, text.count - 1, text.count] {
            #expect(start(compressed, count) == Array(text[..<count]))
        }
        #expect(start(compressed, text.count + 1) == nil)
        #expect(start(compressed, 0) == nil)
        // Half of it is enough for a tenth.
        let half = Array(compressed[..<(compressed.count / 2)])
        #expect(start(half, text.count / 10) == Array(text[..<(text.count / 10)]))
        // A literal, then a copy of four bytes from nowhere: only who wants the copy is refused.
        let forged: [UInt8] = [0x10, 65, 0, 0, 0x50] + Array("hello".utf8)
        #expect(start(forged, 1) == [65])
        for count in 2...10 { #expect(start(forged, count) == nil) }
    }

    @Test func `what two keys share ends at the first byte that differs, or with the shorter one`() {
        for count in 0...20 {
            let key = (0..<count).map { UInt8($0) }
            #expect(key.commonPrefixLength(with: key + [1]) == count)
            for place in 0..<count {
                var other = key + [7, 7]
                other[place] ^= 0x80
                #expect(key.commonPrefixLength(with: other) == place)
                #expect(other.commonPrefixLength(with: key) == place)
            }
        }
    }

    @Test func `key heads order as the keys do`() {
        let keys: [[UInt8]] = [
            [], [0], [0, 0, 0, 0], [0, 1], [1], [1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4, 5], [255],
        ]
        for (left, right) in zip(keys, keys.dropFirst()) {
            let heads = (left.withBytes { $0.keyHead }, right.withBytes { $0.keyHead })
            #expect(heads.0 <= heads.1)
        }
    }

    @Test func `a name tells what a file is`() {
        let files = StoreFiles(directory: "A/")
        #expect(files.directory == "A")
        #expect(StoreFiles.kind(ofName: "snapshot-000000000000002a") == .snapshot(42))
        #expect(files.snapshot(42) == "A/snapshot-000000000000002a")
        #expect(StoreFiles.kind(ofName: "log-0000000000000001") == .log(1))
        #expect(StoreFiles.kind(ofName: "snapshot-2a") == .foreign)
        #expect(StoreFiles.kind(ofName: "snapshot-000000000000002a.tmp.cold") == .temporary)
        #expect(StoreFiles.kind(ofName: "holiday.jpg") == .foreign)
    }
}

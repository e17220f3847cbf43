import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// The bitmaps of a search file: the same, however many leaves were gathered before they were set aside.
@Suite struct SearchBitmapsTests {
    private static let tree = TreeDeclaration(TreeNumber(1), "rows")

    private final class Body: Sendable {
        let bytes: [UInt8]
        init(_ bytes: [UInt8]) { self.bytes = bytes }
    }

    /// What is written of some leaves, each with its words.
    private func bytes(
        of leaves: [[String]], gatheredCount: Int, _ fileSystem: MemoryFileSystem = MemoryFileSystem()
    ) async throws -> [UInt8]? {
        var options = Options(compaction: .manual)
        options.companion = Companion(of: Self.tree.number) { (_, output) throws(StorageError) in
            var bitmaps = SearchBitmaps(gatheredCount: gatheredCount)
            for leaf in leaves {
                for word in leaf {
                    Array(word.utf8).withBytes { bitmaps.add(0..<$0.byteCount, of: $0) }
                }
                try bitmaps.endLeaf(&output)
            }
            try bitmaps.write(to: &output)
            return true
        }
        let database = try Database.open(at: "A", trees: [Self.tree], options: options, fileSystem: fileSystem)
        try await database.write { try $0.put([], forKey: [1], in: Self.tree.number) }
        try await database.compact()
        let body = database.version.companion { file in
            file.withBytes(0..<file.byteCount) { Body($0.copyBytes(0..<$0.byteCount)) }
        }
        try await database.close()
        return body?.bytes
    }

    @Test(arguments: [0, 1, 63, 64, 65, 128, 300])
    func `those that were set aside are where those are that were not`(leafCount: Int) async throws {
        var random = SeededGenerator.forTest(fallback: 3)
        let leaves = (0..<leafCount).map { _ in
            (0..<3).map { _ in
                String(
                    decoding: (0..<Int.random(in: 1...6, using: &random)).map { _ in
                        UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z"), using: &random)
                    }, as: UTF8.self)
            }
        }
        let expected = try #require(try await bytes(of: leaves, gatheredCount: 64))
        #expect(expected.count == SearchSignature.rowCount * 8 * ((leafCount + 63) / 64))
        for (number, words) in leaves.enumerated() {
            for row in words.flatMap({ SearchSignature.rows(ofWord: Array($0.utf8)) }) {
                let byte = expected[row * 8 * ((leafCount + 63) / 64) + number / 8]
                #expect(byte >> UInt8(number % 8) & 1 == 1, "bitmap \(row), leaf \(number)")
            }
        }
        for gatheredCount in [1, 2, 3] {
            #expect(try await bytes(of: leaves, gatheredCount: gatheredCount) == expected)
        }
    }

    @Test func `nothing of what was set aside stays beside the store`() async throws {
        let fileSystem = MemoryFileSystem()
        let leaves = [[String]](repeating: ["word"], count: 130)
        #expect(try await bytes(of: leaves, gatheredCount: 1, fileSystem) != nil)
        #expect(try fileSystem.names(inDirectory: "A").allSatisfy { !$0.hasSuffix(".tmp") })
    }
}

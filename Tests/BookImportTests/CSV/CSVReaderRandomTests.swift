import BookImport
import TestSupport
import Testing

@Suite struct CSVReaderRandomTests {
    /// What trips readers, and a little ordinary text.
    private static let alphabet = Array("\"\"\"\",,;\t\n\n\r\r\nab =\u{0}".utf8) + [0xEF, 0xBB, 0xBF, 0xC3, 0xA9, 0xFF]

    @Test(arguments: [1, 2, 3, 5, 7, 64, 1000] as [Int])
    func `however the input is cut into pieces the records are the same`(chunkSize: Int) throws {
        for seed in UInt64(0)..<300 {
            var generator = SeededGenerator(seed: seed)
            var limits = CSVReader.Limits()
            limits.fieldByteCount = Int.random(in: 8...200, using: &generator)
            limits.recordByteCount = Int.random(in: 100...400, using: &generator)
            let bytes = Self.bytes(Int.random(in: 0...600, using: &generator), using: &generator)
            let whole = Result { () throws(CSVError) in try records(of: bytes, limits: limits) }
            let pieces = Result { () throws(CSVError) in
                try records(of: bytes, chunkSize: chunkSize, limits: limits)
            }
            #expect(whole == pieces, "seed \(seed), pieces of \(chunkSize) bytes")
        }
    }

    @Test func `no bytes whatever trap`() {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        print("random bytes with seed \(seed)")
        for round in 0..<500 {
            let isPlain = round.isMultiple(of: 2)
            let count = Int.random(in: 0...2_000, using: &generator)
            let bytes =
                isPlain
                ? (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
                : Array("title,author\n".utf8) + Self.bytes(count, using: &generator)
            guard let read = try? records(of: bytes, chunkSize: Int.random(in: 1...700, using: &generator)) else {
                continue
            }
            #expect(read.map(\.line) == read.map(\.line).sorted(), "seed \(seed), round \(round)")
        }
    }

    @Test func `what is written by the rules is read back`() throws {
        let letters = Array("a\"',;\t\n\r é😀=")
        for seed in UInt64(0)..<500 {
            var generator = SeededGenerator(seed: seed)
            let table = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
                ["id"]
                    + (0..<3).map { _ in
                        String(
                            (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                                letters.randomElement(using: &generator) ?? "a"
                            })
                    }
            }
            let text = table.map { row in
                row.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }.joined(separator: ",")
            }.joined(separator: "\r\n")
            #expect(try records(of: text).map(\.fields) == table, "seed \(seed)")
        }
    }

    private static func bytes(_ count: Int, using generator: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
    }
}

extension Result where Success == [ReadRecord], Failure == CSVError {
    fileprivate static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.success(let left), .success(let right)): left == right
        case (.failure(let left), .failure(let right)): left == right
        default: false
        }
    }
}

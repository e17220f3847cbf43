import StorageEngine
import TestSupport
import Testing

@Suite struct ByteSearchTests {
    @Test func `a needle is found where comparing every place finds it, in random texts`() {
        var random = SeededGenerator.forTest(fallback: 11)
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...150, using: &random)).map { _ in UInt8.random(in: 1...3, using: &random)
            }
            let needle = (0..<Int.random(in: 0...5, using: &random)).map { _ in UInt8.random(in: 1...3, using: &random)
            }
            let start = Int.random(in: 0...text.count, using: &random)
            let expected = stride(from: start, through: text.count - needle.count, by: 1).first {
                !needle.isEmpty && Array(text[$0..<$0 + needle.count]) == needle
            }
            text.withBytes { span in
                #expect(span.firstOccurrence(of: needle, from: start) == expected)
                #expect(span.count(of: 2, in: start..<text.count) == text[start...].count { $0 == 2 })
                #expect(span.lastOccurrence(of: 3, before: start) == text[..<start].lastIndex(of: 3))
            }
        }
    }

    @Test(arguments: [8159, 8160, 8161, 8192, 20_000]) func `a byte is counted however often a long text has it`(
        byteCount: Int
    ) {
        var text = [UInt8](repeating: 7, count: byteCount)
        for other in stride(from: 0, to: byteCount, by: 3000) { text[other] = 9 }
        text.withBytes { span in
            for start in [0, 1, 33] {
                #expect(span.count(of: 7, in: start..<byteCount) == text[start...].count { $0 == 7 })
                #expect(span.count(of: 9, in: start..<byteCount) == text[start...].count { $0 == 9 })
            }
        }
    }
}

import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// Sets of rows, of which some have no room for the last ones, and the lists that they are read from.
struct BitSetTests {
    private func bits(_ numbers: Set<Int>, count: Int) -> BitSet {
        var bits = count == 0 ? BitSet.none : .none(count: count)
        for number in numbers { bits.insert(number) }
        return bits
    }

    private func numbers(_ bits: BitSet) -> Set<Int> {
        Set((0..<bits.words.count * 64 + 130).filter { bits.contains($0) })
    }

    @Test func `sets of different sizes meet, join and are counted as sets of numbers do`() {
        var random = SeededGenerator.forTest(fallback: 61)
        for _ in 0..<300 {
            let counts = (0..<2).map { _ in random.pick([0, 1, 63, 64, 65, 128, 200, 500])! }
            let sets = counts.map { count in
                Set((0..<count).filter { _ in random.oneIn(3) })
            }
            let (left, right) = (bits(sets[0], count: counts[0]), bits(sets[1], count: counts[1]))
            var (both, either, rest) = (left, left, left)
            both.formIntersection(right)
            either.formUnion(right)
            rest.subtract(right)
            #expect(numbers(both) == sets[0].intersection(sets[1]))
            #expect(numbers(either) == sets[0].union(sets[1]))
            #expect(numbers(rest) == sets[0].subtracting(sets[1]))
            #expect(both.isEmpty == sets[0].isDisjoint(with: sets[1]))
            for _ in 0..<20 {
                let start = Int.random(in: 0...600, using: &random)
                let range = start..<start + Int.random(in: 0...300, using: &random)
                #expect(left.count(in: range) == sets[0].count { range.contains($0) })
                let next = left.next(from: start, end: range.upperBound)
                #expect(next == sets[0].filter { range.contains($0) }.min() ?? range.upperBound)
            }
        }
    }

    /// As `WordPlaces` packs them.
    private func list(_ rows: [Int]) -> [UInt8] {
        var bytes: [UInt8] = []
        var last = -1
        for row in rows {
            var rest = row - last
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
            last = row
        }
        return bytes
    }

    private func added(_ list: [UInt8], of rowCount: Int) -> BitSet? {
        var rows = BitSet.none(count: rowCount)
        let isList = list.withBytes { list in
            var words = rows.words.mutableSpan
            return SearchFile.addRows(list, of: rowCount, to: &words)
        }
        return isList ? rows : nil
    }

    @Test func `a list of rows near each other or far apart is read as it was packed`() {
        var random = SeededGenerator.forTest(fallback: 62)
        for _ in 0..<200 {
            let (rowCount, most) = (Int.random(in: 1...40_000, using: &random), random.pick([1, 3, 100, 300, 20_000])!)
            var rows: [Int] = []
            var row = Int.random(in: 0..<most, using: &random)
            while row < rowCount {
                rows.append(row)
                row += Int.random(in: 1...most, using: &random)
            }
            #expect(added(list(rows), of: rowCount).map(numbers) == Set(rows))
            // One row more than there are.
            #expect(added(list(rows + [rowCount]), of: rowCount) == nil)
        }
    }

    @Test func `bytes that are no list are refused, and nothing traps`() {
        #expect(added([0x80], of: 10) == nil)
        #expect(added([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], of: 1 << 20) == nil)
        #expect(added([0], of: 10) == nil)
        #expect(added([0, 1, 1, 1, 1, 1, 1, 1], of: 1 << 14) == nil)
        var random = SeededGenerator.forTest(fallback: 63)
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: random.oneIn(2) ? 0...0x7F : 0...0xFF, using: &random)
            }
            _ = added(bytes, of: Int.random(in: 1...5000, using: &random))
        }
    }

    @Test func `a line is found by counting the row ends before it`() {
        var random = SeededGenerator.forTest(fallback: 64)
        for _ in 0..<500 {
            // Bytes that differ from a row end in one bit, or by one.
            let bytes = (0..<Int.random(in: 0...90, using: &random)).map { _ -> UInt8 in
                random.pick([0x0A, 0x0A, 0x8A, 0x0B, 0x09, 0x08, 0x2A, 0x00, 0xFF, 0x61])!
            }
            let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            bytes.withBytes { text in
                for (number, line) in lines.enumerated() {
                    #expect(SearchText.line(number, of: text) == line.startIndex..<line.endIndex)
                }
                #expect(SearchText.line(lines.count, of: text) == nil)
            }
        }
    }
}

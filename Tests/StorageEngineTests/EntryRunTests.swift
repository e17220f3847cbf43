import TestSupport
import Testing

@testable import StorageEngine

/// The sorting of entries that are put into a tree together, against the sorting of arrays.
@Suite struct EntryRunTests {
    /// Keys in which few bytes differ, and these at many places; keys that are beginnings of others; equal keys.
    private static func key(_ shape: Int, using random: inout SeededGenerator) -> [UInt8] {
        func bytes(_ count: Int, below limit: UInt8, using random: inout SeededGenerator) -> [UInt8] {
            (0..<count).map { _ in .random(in: 0..<limit, using: &random) }
        }
        switch shape {
        case 0: return bytes(8, below: 255, using: &random)
        case 1:
            // Components that hardly differ, far from each other.
            let (first, second) = (bytes(1, below: 5, using: &random), bytes(2, below: 40, using: &random))
            return [1, 0x80, 0, 0, 0, 0, 0, 0] + first + [1, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF] + second
                + [0, 0, 9, 9] + bytes(4, below: 4, using: &random)
        case 2: return [7, 7, 7] + bytes(.random(in: 0...6, using: &random), below: 3, using: &random)
        case 3: return bytes(.random(in: 1...3, using: &random), below: 2, using: &random)
        case 4:
            return [UInt8](repeating: 6, count: 20)
                + bytes(.random(in: 0...30, using: &random), below: 2, using: &random)
        default: return bytes(.random(in: 1...40, using: &random), below: 255, using: &random)
        }
    }

    @Test func `a run sorts as its keys do, and of equal keys the last stays`() {
        var random = SeededGenerator.forTest(fallback: 77)
        for round in 0..<240 {
            var run = EntryRun()
            var model: [[UInt8]: Int] = [:]
            let count = round.isMultiple(of: 7) ? Int.random(in: 257...2000, using: &random) : round
            for number in 0..<count {
                let key = Self.key(round % 6, using: &random)
                key.withBytes { key in
                    [UInt8](String(number).utf8).withBytes { run.append(key: key, value: $0, facets: UInt16(number)) }
                }
                model[key] = number
            }
            run.sort()
            let expected = model.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            #expect(run.count == expected.count, "round \(round)")
            for (index, (key, number)) in expected.enumerated() where index < run.count {
                let isRight = run.withEntry(index) { entry in
                    entry.facets == UInt16(number) && run.withKey(index) { $0.copyBytes() } == key
                }
                #expect(isRight, "entry \(index) of round \(round)")
            }
        }
    }
}

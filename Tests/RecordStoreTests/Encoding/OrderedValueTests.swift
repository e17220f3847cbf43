import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// The keys of indexes.
struct OrderedValueTests {
    @Test func `keys order as their values do, and absent ones come last`() throws {
        var random = SeededGenerator.forTest(fallback: 5)
        let numbers =
            [Int.min, -1, 0, 1, 255, 256, Int.max] + (0..<50).map { _ in Int.random(in: -999...999, using: &random) }
        let doubles = [-Double.infinity, -1e300, -1, -1e-300, 0, 1e-300, 0.5, 2, .infinity]
        var texts = ["", "a", "ab", "b", "a\u{0}", "a\u{0}b", "\u{0}", "\u{0}\u{0}", "é", "zz"]
        for _ in 0..<50 {
            texts.append(String((0..<4).map { _ in random.pick(["\u{0}", "a", "b", "\u{1}"])! }.joined()))
        }
        try check(numbers)
        try check(numbers.map { UInt32(truncatingIfNeeded: $0) })
        try check(numbers.map { Day(daysSince1970: Int32(truncatingIfNeeded: $0)) })
        try check(numbers.map { ID<Thing>(rawValue: UInt64(bitPattern: Int64($0))) })
        try check(doubles)
        try check(doubles.map { Date(timeIntervalSince1970: $0) })
        try check([false, true]) { !$0 && $1 }
        try check(texts) { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        try check(numbers.map { Optional($0) } + [nil]) {
            ($0 ?? .max, $0 == nil ? 1 : 0) < ($1 ?? .max, $1 == nil ? 1 : 0)
        }
        #expect(try OrderedValue(-0.0) == OrderedValue(0.0))
        #expect(try OrderedValue(Progress?.none) == .nothing)
        #expect(try OrderedValue(Progress.read) == OrderedValue(Progress?.some(.read)))
    }

    private func check<Value: Encodable & Comparable>(_ values: [Value]) throws { try check(values, by: <) }

    private func check<Value: Encodable>(_ values: [Value], by precedes: (Value, Value) -> Bool) throws {
        for left in values {
            for right in values {
                let (leftKey, rightKey) = (try OrderedValue(left), try OrderedValue(right))
                #expect((leftKey < rightKey) == precedes(left, right), "\(left) and \(right)")
                // An identifier behind the value does not disturb the order.
                let (first, second) = (leftKey.key + [0xFF], rightKey.key + [0x00])
                if precedes(left, right) { #expect(first.lexicographicallyPrecedes(second), "\(left) and \(right)") }
            }
        }
    }

    @Test func `a long text is cut in its key, and never within a zero byte's mark`() throws {
        for count in 290...310 {
            let value = try OrderedValue(String(repeating: "a", count: count) + "\u{0}\u{0}\u{0}\u{0}b")
            #expect(value.key.count <= OrderedValue.maximumByteCount)
            #expect(value.bytes.starts(with: value.key))
            #expect(!value.isCut || value.bytes[value.key.count] != 0xFF || value.key.last != 0)
        }
    }

    @Test func `what has no order is refused`() {
        #expect(throws: LibraryError.self) { try OrderedValue([1, 2]) }
        #expect(throws: LibraryError.self) { try OrderedValue(["a": 1]) }
    }
}

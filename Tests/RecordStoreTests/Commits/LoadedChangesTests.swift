import TestSupport
import Testing

@testable import RecordStore

/// What a commit says of the records that a load added.
@Suite struct LoadedChangesTests {
    private struct Item {}

    private static func id(_ number: UInt64) -> RecordStore.ID<Item> { ID(rawValue: number) }

    /// Ascending, near each other and far apart.
    private static func identifiers(_ count: Int, using random: inout SeededGenerator) -> [UInt64] {
        var last: UInt64 = random.oneIn(2) ? 0 : .random(in: 0..<1 << 62, using: &random)
        return (0..<count).map { _ in
            let bits = random.oneIn(20) ? Int.random(in: 0...40, using: &random) : Int.random(in: 0...9, using: &random)
            last += UInt64.random(in: 1...1 << UInt64(bits), using: &random)
            return last
        }
    }

    @Test(arguments: [0, 1, 127, 128, 129, 5000]) func `identifiers in a byte or two are those that were appended`(
        count: Int
    ) {
        var random = SeededGenerator.forTest(fallback: UInt64(count))
        let numbers = Self.identifiers(count, using: &random)
        var identifiers = AscendingIdentifiers()
        for number in numbers { identifiers.append(number) }
        #expect(identifiers.count == count)
        var visited: [UInt64] = []
        identifiers.forEach { visited.append($0) }
        #expect(visited == numbers)
        let set = Set(numbers)
        for number in numbers.prefix(600) {
            for near in [number &- 1, number, number &+ 1] {
                #expect(identifiers.contains(near) == set.contains(near))
            }
        }
        #expect(!identifiers.contains((numbers.last ?? 0) + 1))
        #expect(!identifiers.contains(.max))
    }

    @Test func `changes of a load are equal to the same made one by one, and merge like them`() {
        var random = SeededGenerator.forTest(fallback: 3)
        let numbers = Self.identifiers(300, using: &random)
        var (loaded, single) = (Changes<Item>(), Changes<Item>())
        for number in numbers {
            loaded.load(Self.id(number))
            single.insert(Self.id(number))
        }
        // One that does not ascend, as the entry of a work inserted before.
        loaded.load(Self.id(numbers[0] - 1))
        single.insert(Self.id(numbers[0] - 1))
        #expect(loaded == single)
        #expect(loaded.hashValue == single.hashValue)
        #expect(loaded.insertedCount == 301 && loaded.inserted.count == 301 && !loaded.isEmpty)
        #expect(numbers.allSatisfy { loaded.hasInserted(Self.id($0)) })
        #expect(loaded.typed(as: Int.self).inserted.count == 301)
        var later = Changes<Item>()
        later.delete(Self.id(numbers[7]))
        later.update(Self.id(numbers[8]))
        later.insert(Self.id(numbers[299] + 5))
        loaded.merge(later)
        single.merge(later)
        #expect(loaded == single)
        #expect(loaded.insertedCount == 301)
        #expect(!loaded.hasInserted(Self.id(numbers[7])) && loaded.hasInserted(Self.id(numbers[8])))
    }

    @Test func `no change at all is empty, whoever made it`() {
        #expect(Changes<Item>().isEmpty)
        #expect(Changes<Item>().inserted.isEmpty)
        var changes = Changes<Item>()
        changes.load(Self.id(1))
        changes.delete(Self.id(1))
        #expect(changes.isEmpty)
    }
}

/// Some of the numbers below a count, a bit for each: leaves of a search file, or its rows.
struct BitSet {
    /// Numbers behind the last word are not in the set.
    var words: [UInt64]

    /// All of them. The bits behind the last are set, too, and mean nothing.
    init(count: Int) { words = [UInt64](repeating: .max, count: (count + 63) / 64) }

    /// None. There is no room for any, so looking for one is over at once.
    static let none = BitSet(count: 0)

    static func none(count: Int) -> BitSet {
        var numbers = BitSet(count: 0)
        numbers.words = [UInt64](repeating: 0, count: (count + 63) / 64)
        return numbers
    }

    /// How many there are, give or take the bits behind the last.
    var roughCount: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// How many there are in a range.
    func count(in range: Range<Int>) -> Int {
        let end = min(range.upperBound, words.count << 6)
        guard range.lowerBound < end else { return 0 }
        let (first, last) = (range.lowerBound >> 6, (end - 1) >> 6)
        let (head, tail) = (UInt64.max << UInt64(range.lowerBound & 63), UInt64.max >> UInt64(63 - (end - 1) & 63))
        guard first < last else { return (words[first] & head & tail).nonzeroBitCount }
        var count = (words[first] & head).nonzeroBitCount + (words[last] & tail).nonzeroBitCount
        for index in first + 1..<last { count += words[index].nonzeroBitCount }
        return count
    }

    var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    func contains(_ number: Int) -> Bool {
        number >> 6 < words.count && words[number >> 6] & (1 << UInt64(number & 63)) != 0
    }

    mutating func insert(_ number: Int) { words[number >> 6] |= 1 << UInt64(number & 63) }

    /// The first at or behind a number; `end` when there is none before it.
    func next(from number: Int, end: Int) -> Int {
        var index = number >> 6
        guard number < end, index < words.count else { return end }
        var word = words[index] & (.max << UInt64(number & 63))
        while word == 0 {
            index += 1
            guard index < words.count, index << 6 < end else { return end }
            word = words[index]
        }
        return min(index << 6 + word.trailingZeroBitCount, end)
    }

    mutating func formIntersection(_ other: BitSet) {
        if words.count > other.words.count { words.removeSubrange(other.words.count...) }
        for index in words.indices { words[index] &= other.words[index] }
    }

    mutating func formUnion(_ other: BitSet) {
        guard words.count >= other.words.count else {
            let shorter = self
            self = other
            return formUnion(shorter)
        }
        for index in other.words.indices { words[index] |= other.words[index] }
    }

    mutating func subtract(_ other: BitSet) {
        for index in 0..<min(words.count, other.words.count) { words[index] &= ~other.words[index] }
    }
}

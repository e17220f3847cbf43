import StorageEngine

/// Different words, numbered as they first came: their bytes side by side, and a hash table to look them up. A
/// library of a million rows has some ten million words that are looked up here, none of which is an allocation.
struct WordSet {
    private(set) var bytes: [UInt8] = []
    /// Where each word ends in `bytes`.
    private(set) var ends: [UInt32] = []
    /// The first eight bytes of each word, the first of them the highest, and zeros behind a shorter one's last. They tell nearly all words
    /// apart, and order them.
    private var heads: [UInt64] = []
    /// Of each word one more than its number, and above that 32 bits of its hash; 0 where there is none. Its size is a power of two and at
    /// least twice their number.
    private var table = [UInt64](repeating: 0, count: 1 << 10)

    var count: Int { ends.count }

    func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index]) }

    /// Adds the word when it is new, and gives its number.
    mutating func insert(_ text: RawSpan, _ range: Range<Int>) -> Int {
        let head = Self.eightBytes(of: text, range.lowerBound, range.upperBound)
        let hash = Self.hash(of: text, range, head)
        let tag = hash & ~0xFFFF_FFFF
        var place = Int(truncatingIfNeeded: hash) & (table.count - 1)
        while table[place] != 0 {
            let found = table[place]
            let word = Int(truncatingIfNeeded: found & 0xFFFF_FFFF) - 1
            if found & ~0xFFFF_FFFF == tag, heads[word] == head, isEqual(word, text, range) { return word }
            place = (place + 1) & (table.count - 1)
        }
        for offset in range { bytes.append(text.byte(at: offset)) }
        ends.append(UInt32(bytes.count))
        heads.append(head)
        table[place] = tag | UInt64(count)
        if count * 2 > table.count { grow() }
        return count - 1
    }

    /// The numbers of the words, in the order of their bytes.
    var sorted: [Int] {
        (0..<count).sorted { left, right in
            if heads[left] != heads[right] { return heads[left] < heads[right] }
            return bytes[range(left)].lexicographicallyPrecedes(bytes[range(right)])
        }
    }

    /// Those from an offset on, as far as there are so many: the first the highest, zeros behind the last.
    @inline(__always)
    private static func eightBytes(of text: RawSpan, _ start: Int, _ end: Int) -> UInt64 {
        let count = min(end - start, 8)
        if text.byteCount - start >= 8 {
            // 64 bits less are none, and the shift says so.
            return text.loadBigEndian(at: start) & ~(UInt64.max >> UInt64(8 * count))
        }
        var head: UInt64 = 0
        for offset in 0..<count { head |= UInt64(text.byte(at: start + offset)) << UInt64(56 - 8 * offset) }
        return head
    }

    @inline(__always)
    private static func hash(of text: RawSpan, _ range: Range<Int>, _ head: UInt64) -> UInt64 {
        var hash = (head ^ UInt64(range.count)) &* multiplier
        var offset = range.lowerBound + 8
        while offset < range.upperBound {
            hash = (hash ^ hash >> 32 ^ eightBytes(of: text, offset, range.upperBound)) &* multiplier
            offset += 8
        }
        // The low bits say where to look, and know the high ones by this alone.
        return hash ^ hash >> 32
    }

    private static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Precondition: their first eight bytes are the same.
    private func isEqual(_ word: Int, _ text: RawSpan, _ range: Range<Int>) -> Bool {
        let own = self.range(word)
        guard own.count == range.count else { return false }
        var offset = 8
        while offset < own.count {
            guard bytes[own.lowerBound + offset] == text.byte(at: range.lowerBound + offset) else { return false }
            offset += 1
        }
        return true
    }

    private mutating func grow() {
        let old = table
        table = [UInt64](repeating: 0, count: old.count * 2)
        for word in 0..<count {
            let hash = bytes.withBytes { Self.hash(of: $0, range(word), heads[word]) }
            var place = Int(truncatingIfNeeded: hash) & (table.count - 1)
            while table[place] != 0 { place = (place + 1) & (table.count - 1) }
            table[place] = hash & ~0xFFFF_FFFF | UInt64(word + 1)
        }
    }
}

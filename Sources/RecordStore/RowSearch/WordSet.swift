/// Different words, numbered as they first came: their bytes side by side, and a hash table to look them up. A
/// library of a million rows has some ten million words that are looked up here, none of which is an allocation.
struct WordSet {
    private(set) var bytes: [UInt8] = []
    /// Where each word ends in `bytes`.
    private(set) var ends: [UInt32] = []
    /// Word numbers and one, by hash; 0 where there is none. Its size is a power of two and at least twice their number.
    private var table = [UInt32](repeating: 0, count: 1 << 10)
    private var hashes: [UInt32] = []

    var count: Int { ends.count }

    func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index]) }

    /// Adds the word when it is new, and gives its number.
    mutating func insert(_ text: [UInt8], _ range: Range<Int>) -> Int {
        var hash: UInt32 = 2_166_136_261
        for index in range { hash = (hash ^ UInt32(text[index])) &* 16_777_619 }
        hash ^= hash >> 15
        var place = Int(hash) & (table.count - 1)
        while table[place] != 0 {
            let word = Int(table[place]) - 1
            if hashes[word] == hash, isEqual(word, text, range) { return word }
            place = (place + 1) & (table.count - 1)
        }
        bytes.append(contentsOf: text[range])
        ends.append(UInt32(bytes.count))
        hashes.append(hash)
        table[place] = UInt32(count)
        if count * 2 > table.count { grow() }
        return count - 1
    }

    /// The numbers of the words, in the order of their bytes.
    var sorted: [Int] {
        // The first eight bytes tell nearly all words apart.
        var heads: [(head: UInt64, word: UInt32)] = []
        heads.reserveCapacity(count)
        for word in 0..<count {
            let range = range(word)
            var head: UInt64 = 0
            for offset in 0..<8 {
                head = head << 8 | (offset < range.count ? UInt64(bytes[range.lowerBound + offset]) : 0)
            }
            heads.append((head, UInt32(word)))
        }
        heads.sort { left, right in
            if left.head != right.head { return left.head < right.head }
            return bytes[range(Int(left.word))].lexicographicallyPrecedes(bytes[range(Int(right.word))])
        }
        return heads.map { Int($0.word) }
    }

    private func isEqual(_ word: Int, _ text: [UInt8], _ range: Range<Int>) -> Bool {
        let own = self.range(word)
        guard own.count == range.count else { return false }
        for offset in 0..<range.count where bytes[own.lowerBound + offset] != text[range.lowerBound + offset] {
            return false
        }
        return true
    }

    private mutating func grow() {
        table = [UInt32](repeating: 0, count: table.count * 2)
        for (word, hash) in hashes.enumerated() {
            var place = Int(hash) & (table.count - 1)
            while table[place] != 0 { place = (place + 1) & (table.count - 1) }
            table[place] = UInt32(word + 1)
        }
    }
}

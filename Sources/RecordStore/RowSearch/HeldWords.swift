/// For each row of the search file the words typed that it has, or has with a typo.
struct HeldWords {
    /// By word typed.
    private let rows: [BitSet]

    init(_ rows: [BitSet]) { self.rows = rows }

    /// A bit for each word.
    func words(ofRow row: Int) -> UInt64 {
        var words: UInt64 = 0
        for (index, rows) in rows.enumerated() where rows.contains(row) { words |= 1 << UInt64(index) }
        return words
    }

    /// The rows that have just so many of the words.
    func rows(_ wordCount: Int) -> BitSet {
        var result = rows.max { $0.words.count < $1.words.count } ?? .none
        for index in result.words.indices {
            // Counters of all rows of the word at once, a bit of each in every plane.
            var planes: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0)
            for rows in rows where index < rows.words.count {
                var carry = rows.words[index]
                Self.add(&carry, to: &planes.0)
                Self.add(&carry, to: &planes.1)
                Self.add(&carry, to: &planes.2)
                Self.add(&carry, to: &planes.3)
                Self.add(&carry, to: &planes.4)
                Self.add(&carry, to: &planes.5)
                Self.add(&carry, to: &planes.6)
            }
            let (low, high) = (
                Self.equal(planes.0, wordCount, 0) & Self.equal(planes.1, wordCount, 1)
                    & Self.equal(planes.2, wordCount, 2) & Self.equal(planes.3, wordCount, 3),
                Self.equal(planes.4, wordCount, 4) & Self.equal(planes.5, wordCount, 5)
                    & Self.equal(planes.6, wordCount, 6)
            )
            result.words[index] = low & high
        }
        return result
    }

    private static func add(_ carry: inout UInt64, to plane: inout UInt64) {
        (plane, carry) = (plane ^ carry, plane & carry)
    }

    /// The rows whose bit is that of the number.
    private static func equal(_ plane: UInt64, _ number: Int, _ bit: Int) -> UInt64 {
        number >> bit & 1 == 1 ? plane : ~plane
    }
}

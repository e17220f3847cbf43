import StorageEngine

/// A word of a query and how far another may be from it: letters left out, put in, exchanged, or swapped with their neighbour,
/// each an edit.
///
/// A word of three letters allows one edit, of six letters two. The last word of a query may still be growing, so from four
/// letters on it is compared with the beginnings of words as well. Numbers allow none: 1984 is not 1985.
///
/// The distance is the restricted one of Damerau and Levenshtein, by Hyyrö's bit vectors ("A bit-vector algorithm for computing
/// Levenshtein and Damerau edit distances", 2003): a few instructions for each letter of the other word.
package struct TypoPattern: Sendable {
    package let allowed: Int
    package let letterCount: Int
    /// The letters it has, by their numbers in sets, and how often; and those that it has not.
    private let own: [(letter: Int, count: Int)]
    private let foreign: [Int]
    private let isBeginning: Bool
    private let places: LetterPlaces<UInt64>

    private static let maximumLetterCount = 63
    /// More than any word allows.
    private static let never = 3

    package init(_ word: [UInt8], isLast: Bool, isForgiving: Bool = true) {
        let letters = Array(String(decoding: word, as: UTF8.self).unicodeScalars.map(\.value))
        letterCount = letters.count
        let isNumber = word.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isForgiving = isForgiving && !isNumber && letters.count <= Self.maximumLetterCount
        allowed = !isForgiving || letters.count < 3 ? 0 : letters.count < 6 ? 1 : 2
        isBeginning = isLast && letters.count >= 4
        var counts = [Int](repeating: 0, count: Self.letterSetCount)
        for letter in letters { counts[Self.number(of: letter)] += 1 }
        own = counts.enumerated().filter { $0.element > 0 }.map { ($0.offset, min($0.element, Self.never)) }
        foreign = counts.indices.filter { counts[$0] == 0 }
        places = LetterPlaces(letters.prefix(Self.maximumLetterCount))
    }

    /// So many sets of letters are told apart.
    package static let letterSetCount = 32

    /// The number of a letter: some share one.
    package static func number(of letter: UInt32) -> Int {
        let isPlain = (UInt32(UInt8(ascii: "a"))...UInt32(UInt8(ascii: "z"))).contains(letter)
        return Int(isPlain ? letter - UInt32(UInt8(ascii: "a")) : 26 + letter % 6)
    }

    /// Of 64 words, a bit each, those that have all its letters.
    @inline(__always)
    package func mayBeWithin(_ havers: (Int) -> UInt64) -> UInt64 { own.reduce(.max) { $0 & havers($1.letter) } }

    /// Of 64 words, a bit each, those that may be within one edit, and within two, as far as letters tell that one of them has and
    /// the other has nowhere: an edit adds one at most and takes one away at most.
    ///
    /// Counted for all of them at once, in planes of bits.
    ///
    /// - Parameter havers: those of the words that have a letter, by its number.
    @inline(__always)
    package func mayReach(_ havers: (Int) -> UInt64) -> (one: UInt64, two: UInt64) {
        var missing = (one: UInt64(0), two: UInt64(0), three: UInt64(0))
        for (letter, count) in own {
            let lacking = ~havers(letter)
            for _ in 0..<count { Self.add(lacking, to: &missing) }
        }
        guard !isBeginning else { return (~missing.two, ~missing.three) }
        var foreigners = (one: UInt64(0), two: UInt64(0), three: UInt64(0))
        for letter in foreign { Self.add(havers(letter), to: &foreigners) }
        return (~missing.two & ~foreigners.two, ~missing.three & ~foreigners.three)
    }

    /// Adds a bit to counters that say whether there was one, two or three of them.
    @inline(__always)
    private static func add(_ bits: UInt64, to counters: inout (one: UInt64, two: UInt64, three: UInt64)) {
        counters.three |= counters.two & bits
        counters.two |= counters.one & bits
        counters.one |= bits
    }

    /// Whether a word of so many letters (255 for more) can be within so many edits.
    @inline(__always)
    package func mayReach(letterCount count: Int, edits: Int) -> Bool {
        count >= letterCount - edits && (isBeginning || count <= letterCount + edits)
    }

    /// The edits between the words, when they are at most `limit` and as many as the word allows; otherwise more than that.
    package func edits(_ text: RawSpan, _ range: Range<Int>, limit: Int) -> Int {
        let limit = min(limit, allowed)
        // A letter has at least a byte, and at most four.
        guard limit > 0, range.count >= letterCount - limit, isBeginning || range.count <= (letterCount + limit) * 4
        else {
            return Self.never
        }
        var plus = ~UInt64(0)
        var minus: UInt64 = 0
        var diagonal: UInt64 = 0
        var previous: UInt64 = 0
        var distance = letterCount
        var best = isBeginning ? Self.never : .max
        let last = UInt64(1) << UInt64(letterCount - 1)
        var read = 0
        var offset = range.lowerBound
        while offset < range.upperBound {
            let here = places(text, &offset, range.upperBound)
            let swapped = ((~diagonal & here) << 1) & previous
            diagonal = (((here & plus) &+ plus) ^ plus) | here | minus | swapped
            var rises = minus | ~(diagonal | plus)
            let falls = diagonal & plus
            if rises & last != 0 { distance += 1 }
            if falls & last != 0 { distance -= 1 }
            rises = rises << 1 | 1
            plus = falls << 1 | ~(diagonal | rises)
            minus = rises & diagonal
            previous = here
            read += 1
            if isBeginning {
                best = min(best, distance)
                // A beginning longer than this is further away.
                if best <= 1 || read >= letterCount + limit { break }
            }
        }
        let found = isBeginning ? best : distance
        return found <= limit ? found : Self.never
    }

    /// Where the letter at the offset stands in the pattern. Moves behind it.
    @inline(__always)
    private func places(_ text: RawSpan, _ offset: inout Int, _ end: Int) -> UInt64 {
        let byte = text.byte(at: offset)
        offset += 1
        guard byte >= 0x80 else { return places[UInt32(byte)] }
        let count = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3
        var letter = UInt32(byte) & (0xFF >> UInt32(count + 2))
        for _ in 0..<count where offset < end {
            letter = letter << 6 | UInt32(text.byte(at: offset) & 0x3F)
            offset += 1
        }
        return places[letter]
    }
}

import StorageEngine

/// A word of a query and how far another may be from it: letters left out, put in, exchanged, or swapped with their neighbour,
/// each an edit.
///
/// A word of three letters allows one edit, of six letters two. The last word of a query may still be growing, so from four
/// letters on it is compared with the beginnings of words as well. Numbers allow none: 1984 is not 1985.
///
/// The distance is the restricted one of Damerau and Levenshtein, by Hyyrö's bit vectors ("A bit-vector algorithm for computing
/// Levenshtein and Damerau edit distances", 2003): a few instructions for each letter of the other word.
struct TypoPattern: Sendable {
    let allowed: Int
    let letterCount: Int
    /// A bit for each letter it has, some letters sharing one.
    private let mask: UInt32
    /// Those of which it has two or more, and three or more.
    private let twice: UInt32
    private let thrice: UInt32
    private let isBeginning: Bool
    /// The fewest letters of a word near it, and how many more there may be, as counts of 255 at the most.
    private let leastCount: UInt8
    private let countSpan: UInt8
    /// Where each letter stands in the word, by letter; above ASCII in `others`.
    private let places: [UInt64]
    private let others: [(letter: UInt32, places: UInt64)]

    private static let maximumLetterCount = 63
    /// More than any word allows.
    private static let never = 3

    init(_ word: [UInt8], isLast: Bool, isForgiving: Bool = true) {
        let letters = Array(String(decoding: word, as: UTF8.self).unicodeScalars.map(\.value))
        letterCount = letters.count
        let isNumber = word.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isForgiving = isForgiving && !isNumber && letters.count <= Self.maximumLetterCount
        allowed = !isForgiving || letters.count < 3 ? 0 : letters.count < 6 ? 1 : 2
        isBeginning = isLast && letters.count >= 4
        leastCount = UInt8(clamping: letters.count - allowed)
        countSpan = isBeginning ? .max - leastCount : UInt8(clamping: letters.count + allowed) - leastCount
        var (once, twice, thrice): (UInt32, UInt32, UInt32) = (0, 0, 0)
        for bit in letters.lazy.map(Self.bit) {
            thrice |= twice & bit
            twice |= once & bit
            once |= bit
        }
        (mask, self.twice, self.thrice) = (once, twice, thrice)
        var places = [UInt64](repeating: 0, count: 128)
        var others: [(letter: UInt32, places: UInt64)] = []
        for (index, letter) in letters.prefix(Self.maximumLetterCount).enumerated() {
            let bit = UInt64(1) << UInt64(index)
            if letter < 128 {
                places[Int(letter)] |= bit
            } else if let known = others.firstIndex(where: { $0.letter == letter }) {
                others[known].places |= bit
            } else {
                others.append((letter, bit))
            }
        }
        self.places = places
        self.others = others
    }

    /// The bit of a letter in masks.
    static func bit(_ letter: UInt32) -> UInt32 {
        let isPlain = (UInt32(UInt8(ascii: "a"))...UInt32(UInt8(ascii: "z"))).contains(letter)
        return 1 << (isPlain ? letter - UInt32(UInt8(ascii: "a")) : 26 + letter % 6)
    }

    /// Whether a word may be near that has so many letters (255 for more) and that mask: in few instructions, and without counting
    /// bits, for which the oldest processors of 64 bits have none.
    @inline(__always)
    func mayRoughlyReach(letterCount count: UInt8, mask other: UInt32) -> Bool {
        let isCount = count &- leastCount <= countSpan
        let isNear =
            Self.butLowest(mask & ~other, allowed) | (isBeginning ? 0 : Self.butLowest(other & ~mask, allowed)) == 0
        return isCount && isNear
    }

    /// The bits but for the lowest or, with two, the lowest two.
    @inline(__always)
    private static func butLowest(_ bits: UInt32, _ count: Int) -> UInt32 {
        let rest = bits & (bits &- 1)
        return count == 1 ? rest : rest & (rest &- 1)
    }

    /// Whether a word of that many letters (255 for more) and with that mask can be within `limit` edits, of which there are two
    /// at most. An edit adds a letter at most and takes one away at most: of letters that the other has nowhere, each takes one.
    @inline(__always)
    func mayReach(letterCount count: Int, mask other: UInt32, limit: Int) -> Bool {
        let missing = mask & ~other
        guard missing.nonzeroBitCount <= limit, count >= letterCount - limit else { return false }
        if missing != 0 {
            let edits =
                missing.nonzeroBitCount + (missing & twice).nonzeroBitCount + (missing & thrice).nonzeroBitCount
            guard edits <= limit else { return false }
        }
        return isBeginning || (count <= letterCount + limit && (other & ~mask).nonzeroBitCount <= limit)
    }

    /// The edits between the words, when they are at most `limit` and as many as the word allows; otherwise more than that.
    func edits(_ text: RawSpan, _ range: Range<Int>, limit: Int) -> Int {
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
        guard byte >= 0x80 else { return places[Int(byte)] }
        let count = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3
        var letter = UInt32(byte) & (0xFF >> UInt32(count + 2))
        for _ in 0..<count where offset < end {
            letter = letter << 6 | UInt32(text.byte(at: offset) & 0x3F)
            offset += 1
        }
        return others.first { $0.letter == letter }?.places ?? 0
    }
}

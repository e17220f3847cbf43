import StorageEngine

/// How near a title is to what was typed. Nearer ones are less.
struct TitleDistance: Comparable, Sendable {
    /// Where the typed text ends in the title.
    enum Ending: Int, Sendable { case title, word, letter }

    let edits: Int
    let ending: Ending

    static func < (left: TitleDistance, right: TitleDistance) -> Bool {
        (left.edits, left.ending.rawValue) < (right.edits, right.ending.rawValue)
    }
}

/// Compares keys with a pattern, one after the other in their order: what a key shares with the one before is not compared again.
///
/// The restricted distance of Damerau and Levenshtein, a row for each letter of the key, of which only what can be near enough is
/// worked out: `2 * allowed + 1` cells. The rows of a key's beginning stay for the next key, as in a trie.
struct TitleComparison {
    /// What is typed of a title that ends within a word there has so many letters, where it has two typos: of fewer letters it is
    /// the beginning of some word or other.
    private static let surePartLetterCount = 12

    private let pattern: TitlePattern
    private let width: Int
    /// A row for each depth; the cells outside of what is worked out are too many.
    private var rows: [UInt8]
    /// The letters and where they end in the key, by depth from 1 on.
    private var letters: [UInt32]
    private var ends: [Int]
    private var depth = 0
    /// Of the last key, as far as it was compared.
    private var path: [UInt8] = []
    /// No key that begins with so many bytes of `path` is near; 0 when that is not known.
    private(set) var farByteCount = 0

    private var tooMany: UInt8 { UInt8(pattern.allowed + 1) }

    init(_ pattern: TitlePattern) {
        self.pattern = pattern
        width = 2 * pattern.allowed + 3
        let depthCount = pattern.letters.count + pattern.allowed + 1
        rows = [UInt8](repeating: UInt8(pattern.allowed + 1), count: depthCount * width)
        letters = [UInt32](repeating: 0, count: depthCount)
        ends = [Int](repeating: 0, count: depthCount)
        // Behind no letter of the key, those typed so far are left out.
        var edits = 0
        for typed in 0...min(pattern.allowed, pattern.letters.count) {
            if typed > 0 { edits += TitlePattern.isOfNumber(pattern.letters[typed - 1]) ? pattern.allowed + 1 : 1 }
            rows[typed + pattern.allowed + 1] = UInt8(min(edits, pattern.allowed + 1))
        }
    }

    /// The bytes that begin no key that is near.
    var farPrefix: ArraySlice<UInt8> { path[..<farByteCount] }

    /// How near the title filed under a key is; `nil` when it is too far.
    mutating func distance(to key: RawSpan) -> TitleDistance? {
        let shared = sharedByteCount(key)
        if farByteCount > 0, shared >= farByteCount { return nil }
        farByteCount = 0
        while depth > 0, ends[depth] > shared || isJoined(key, at: ends[depth]) { depth -= 1 }
        path.removeLast(path.count - ends[depth])
        var canBeNearer = true
        var offset = ends[depth]
        while canBeNearer, depth + 1 < ends.count {
            guard let letter = TitlePattern.letter(of: key, &offset) else { break }
            depth += 1
            letters[depth] = letter
            ends[depth] = offset
            canBeNearer = addRow()
        }
        for place in path.count..<max(path.count, ends[depth]) { path.append(key.byte(at: place)) }
        if !canBeNearer, !isNear { farByteCount = ends[depth] }
        return nearest(key)
    }

    /// At which depths the pattern may end.
    private var endDepths: Range<Int> {
        let first = max(1, pattern.letters.count - pattern.allowed)
        return first..<max(first, depth + 1)
    }

    /// The edits between the pattern and the key as far as a depth.
    private func edits(at depth: Int) -> UInt8 {
        rows[depth * width + pattern.letters.count - depth + pattern.allowed + 1]
    }

    private var isNear: Bool { endDepths.contains { edits(at: $0) < tooMany } }

    private func sharedByteCount(_ key: RawSpan) -> Int {
        let count = min(path.count, key.byteCount)
        var shared = 0
        while shared < count, path[shared] == key.byte(at: shared) { shared += 1 }
        return shared
    }

    /// Whether what follows makes another letter of the one that ends at an offset.
    private func isJoined(_ key: RawSpan, at offset: Int) -> Bool {
        offset < key.byteCount && key.byte(at: offset) == FilingTailoring.nextLetter
    }

    /// Works out the row of the newest letter, and says whether a further one can be near.
    private mutating func addRow() -> Bool {
        let (allowed, count) = (pattern.allowed, pattern.letters.count)
        let letter = letters[depth]
        let isNumber = TitlePattern.isOfNumber(letter)
        let (row, last, before) = (depth * width, (depth - 1) * width, (depth - 2) * width)
        var least = tooMany
        rows[row] = tooMany
        rows[row + width - 1] = tooMany
        // The middle cell compares as many typed letters as the depth has; each cell to its left one fewer, to its right one more.
        for cell in 1...2 * allowed + 1 {
            let typed = depth + cell - allowed - 1
            guard typed >= 0, typed <= count else {
                rows[row + cell] = tooMany
                continue
            }
            // The key has a letter too many.
            var edits = isNumber ? tooMany : rows[last + cell + 1] &+ 1
            if typed > 0 {
                let other = pattern.letters[typed - 1]
                let isOtherNumber = TitlePattern.isOfNumber(other)
                if other == letter {
                    edits = min(edits, rows[last + cell])
                } else if !isNumber, !isOtherNumber {
                    edits = min(edits, rows[last + cell] &+ 1)
                    if typed > 1, depth > 1, pattern.letters[typed - 2] == letter, letters[depth - 1] == other {
                        edits = min(edits, rows[before + cell] &+ 1)
                    }
                }
                if !isOtherNumber { edits = min(edits, rows[row + cell - 1] &+ 1) }
            }
            edits = min(edits, tooMany)
            rows[row + cell] = edits
            least = min(least, edits)
        }
        return least < tooMany
    }

    private func nearest(_ key: RawSpan) -> TitleDistance? {
        var nearest: TitleDistance?
        for depth in endDepths {
            let edits = edits(at: depth)
            guard edits < tooMany else { continue }
            let end = ends[depth]
            let next = end < key.byteCount ? key.byte(at: end) : 0
            let ending: TitleDistance.Ending =
                next < LibraryKey.blank ? .title : next == LibraryKey.blank ? .word : .letter
            guard ending != .letter || edits <= 1 || pattern.letters.count >= Self.surePartLetterCount else { continue }
            let found = TitleDistance(edits: Int(edits) + pattern.spent, ending: ending)
            nearest = nearest.map { min($0, found) } ?? found
        }
        return nearest
    }
}

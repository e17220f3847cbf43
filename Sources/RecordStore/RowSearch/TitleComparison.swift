import Filing
import StorageEngine

/// Compares keys with a pattern, one after the other in their order: what a key shares with the one before is not compared again.
///
/// The restricted distance of Damerau and Levenshtein, as an automaton that holds in a few words all that may have been meant: for
/// each number of typos, a bit for each beginning of the pattern that so many typos lead to (Wu and Manber, "Fast text searching
/// allowing errors", 1992; swapped letters as by Navarro, "NR-grep", 2001). What is reached behind each letter of a key stays for the
/// next key, as in a trie.
package struct TitleComparison<Places: FixedWidthInteger & UnsignedInteger & Sendable> {
    private let pattern: TitlePattern
    /// Bit n for the n-th letter, from 1: bit 0 is for the pattern's beginning.
    private let alphabet: LetterPlaces<Places>
    /// Those letters of the pattern that may be left out or exchanged: all but numbers.
    private let changeable: Places
    /// The bit that is set when the whole pattern was read.
    private let whole: Places
    /// By depth, the letters read of the key, and then by typos: what of the pattern is reached.
    private var reached: [Places]
    /// By depth: where its letter stands in the pattern, and where it ends in the key.
    private var places: [Places]
    private var ends: [Int]
    private var depth = 0
    /// Of the last key, as far as it was compared.
    private var path: [UInt8] = []
    /// No key that begins with so many bytes of `path` is near; 0 when that is not known.
    private var farByteCount = 0
    /// How many of the last keys began so, one behind the other.
    private(set) var skippedCount = 0

    /// So many letters have places.
    static var maximumLetterCount: Int { Places.bitWidth - 1 }

    private var levelCount: Int { pattern.allowed + 1 }

    package init(_ pattern: TitlePattern) {
        precondition(pattern.letters.count <= Self.maximumLetterCount, "every letter has a place")
        self.pattern = pattern
        alphabet = LetterPlaces(pattern.letters, firstBit: 1)
        var changeable: Places = 0
        for (index, letter) in pattern.letters.enumerated() where !TitlePattern.isOfNumber(letter) {
            changeable |= 1 << Places(index + 1)
        }
        self.changeable = changeable
        whole = 1 << Places(pattern.letters.count)
        let depthCount = pattern.letters.count + pattern.allowed + 1
        reached = [Places](repeating: 0, count: depthCount * (pattern.allowed + 1))
        places = [Places](repeating: 0, count: depthCount)
        ends = [Int](repeating: 0, count: depthCount)
        // Behind no letter of the key, those typed so far are left out.
        reached[0] = 1
        for level in 1..<levelCount {
            reached[level] = reached[level - 1] | reached[level - 1] << 1 & changeable
        }
    }

    /// The bytes that begin no key that is near.
    var farPrefix: ArraySlice<UInt8> { path[..<farByteCount] }

    /// Whether a key begins as the last one did that was far by its beginning.
    @inline(__always)
    private func isKnownToBeFar(_ key: RawSpan) -> Bool {
        guard farByteCount > 0, key.byteCount >= farByteCount else { return false }
        // Neighbours that differ do so at the end of these.
        var place = farByteCount - 1
        while path[place] == key.byte(at: place) {
            // The last of these may be joined with what follows to another letter.
            if place == 0 { return !isJoined(key, at: farByteCount) }
            place -= 1
        }
        return false
    }

    /// How near the title filed under a key is; `nil` when it is too far.
    package mutating func distance(to key: RawSpan) -> TitleDistance? {
        if isKnownToBeFar(key) {
            skippedCount += 1
            return nil
        }
        let shared = sharedByteCount(key)
        (farByteCount, skippedCount) = (0, 0)
        while depth > 0, ends[depth] > shared || isJoined(key, at: ends[depth]) { depth -= 1 }
        path.removeLast(path.count - ends[depth])
        var canBeNearer = true
        var offset = ends[depth]
        while canBeNearer, depth + 1 < ends.count {
            guard let letter = TitlePattern.letter(of: key, &offset) else { break }
            depth += 1
            ends[depth] = offset
            canBeNearer = read(letter)
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

    /// The typos between the pattern and the key as far as a depth; `nil` when they are too many.
    private func edits(at depth: Int) -> Int? {
        (0..<levelCount).first { reached[depth * levelCount + $0] & whole != 0 }
    }

    private var isNear: Bool { endDepths.contains { edits(at: $0) != nil } }

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

    /// Takes in the newest letter, and says whether a further one can be near.
    private mutating func read(_ letter: UInt32) -> Bool {
        let here = alphabet[letter]
        let isNumber = TitlePattern.isOfNumber(letter)
        let start = depth * levelCount
        places[depth] = here
        // Places of the letters before, where this one and the one before stand the other way round.
        let swapped = depth > 1 ? here << 1 & places[depth - 1] & changeable : 0
        var fewer = reached[start - levelCount] << 1 & here
        reached[start] = fewer
        for level in start + 1..<start + levelCount {
            // The letter is the next of the pattern; or one of the pattern is left out.
            var these = reached[level - levelCount] << 1 & here | fewer << 1 & changeable
            if !isNumber {
                let before = reached[level - levelCount - 1]
                // One too many, or another one, or swapped with the one before it.
                these |= before | before << 1 & changeable
                if swapped != 0 { these |= reached[level - 2 * levelCount - 1] << 2 & swapped }
            }
            reached[level] = these
            fewer = these
        }
        return fewer != 0
    }

    private func nearest(_ key: RawSpan) -> TitleDistance? {
        var nearest: TitleDistance?
        for depth in endDepths {
            guard let edits = edits(at: depth) else { continue }
            let end = ends[depth]
            let next = end < key.byteCount ? key.byte(at: end) : 0
            let ending: TitleDistance.Ending =
                next < LibraryKey.blank ? .title : next == LibraryKey.blank ? .word : .letter
            guard ending != .letter || edits <= 1 || pattern.letters.count >= TitlePattern.surePartLetterCount else {
                continue
            }
            let found = TitleDistance(edits: edits + pattern.spent, ending: ending)
            nearest = nearest.map { min($0, found) } ?? found
        }
        return nearest
    }
}

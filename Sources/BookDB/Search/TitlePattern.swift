import StorageEngine

/// What was typed as the beginning of a title, and how far a title may be from it: letters left out, put in, exchanged, or swapped
/// with their neighbour. Blanks do not count, so `theegg` is *The Egg* and `star dust` is *Stardust*.
///
/// Compared are keys, as titles are filed: without their article, numbers by value. A number allows no typo: 1984 is not 1985.
struct TitlePattern: Sendable {
    let letters: [UInt32]
    /// How many typos are forgiven: none in one or two letters, one up to eight, then two, and three from eighteen on.
    let allowed: Int
    /// Typos in what is not compared: an article that was mistyped.
    let spent: Int

    private init(_ key: [UInt8], spent: Int) {
        var letters: [UInt32] = []
        key.withBytes { bytes in
            var offset = 0
            while let letter = Self.letter(of: bytes, &offset) { letters.append(letter) }
        }
        self.init(letters: letters, spent: spent)
    }

    private init(letters: [UInt32], spent: Int) {
        let forgiven =
            switch letters.count {
            case ..<3: 0
            case ..<9: 1
            case ..<18: 2
            default: 3
            }
        self.init(letters: letters, allowed: forgiven - spent, spent: spent)
    }

    private init(letters: [UInt32], allowed: Int, spent: Int) {
        self.letters = letters
        self.allowed = allowed
        self.spent = spent
    }

    /// The same with fewer typos.
    func allowing(edits: Int) -> TitlePattern {
        TitlePattern(letters: letters, allowed: min(allowed, edits), spent: spent)
    }

    /// The ways in which a title may be filed that begins with what was typed: as it is, without an article of any language, without
    /// one that was mistyped, and without one that ran together with its word.
    static func all(_ text: String, _ words: [[UInt8]], filing: FilingTailoring) -> [TitlePattern] {
        let key = TitleKey.searchPrefix(text, filing: filing)
        guard key.first != TitleKey.punctuationLead else { return [] }
        var patterns = [TitlePattern(key, spent: 0)]
        for other in TitleKey.searchPrefixesByLanguage(text, filing: filing) where other != key {
            patterns.append(TitlePattern(other, spent: 0))
        }
        if let first = words.first, patterns.count == 1, key.starts(with: first) {
            if words.count > 1, isNearArticle(first), let blank = key.firstIndex(of: LibraryKey.blank) {
                patterns.append(TitlePattern(Array(key[(blank + 1)...]), spent: 1))
            }
            let article = FilingLanguage.longArticles.filter { first.starts(with: $0) }.max { $0.count < $1.count }
            if let article, first.count > article.count {
                patterns.append(TitlePattern(Array(key.dropFirst(article.count)), spent: 0))
            }
        }
        return patterns.filter { !$0.letters.isEmpty && $0.allowed >= 0 }
    }

    /// Whether a word may have been meant as an article.
    private static func isNearArticle(_ word: [UInt8]) -> Bool {
        guard (3...5).contains(word.count) else { return false }
        let pattern = TypoPattern(word, isLast: false)
        return FilingLanguage.longArticles.contains { article in
            article.withBytes { pattern.edits($0, 0..<$0.byteCount, limit: 1) } == 1
        }
    }

    /// The letter of a key at an offset, or behind the blanks there, as one number; `nil` at the end of the text. Moves behind it.
    @inline(__always)
    static func letter(of key: RawSpan, _ offset: inout Int) -> UInt32? {
        let count = key.byteCount
        while offset < count, key.byte(at: offset) == LibraryKey.blank { offset += 1 }
        guard offset < count else { return nil }
        let lead = key.byte(at: offset)
        guard lead > LibraryKey.blank else { return nil }
        var letter = UInt32(lead)
        offset += 1
        if lead >= 0x80 {
            while offset < count, key.byte(at: offset) & 0xC0 == 0x80 {
                letter = letter << 8 | UInt32(key.byte(at: offset))
                offset += 1
            }
        }
        if offset < count, key.byte(at: offset) == FilingTailoring.nextLetter {
            letter = letter << 8 | UInt32(FilingTailoring.nextLetter)
            offset += 1
        }
        return letter
    }

    /// Whether it is of a number, or tells how long one is.
    @inline(__always)
    static func isOfNumber(_ letter: UInt32) -> Bool {
        (UInt32(UInt8(ascii: "0"))...UInt32(UInt8(ascii: "9"))).contains(letter)
            || (UInt32(UInt8(ascii: "B"))...UInt32(UInt8(ascii: "Z"))).contains(letter)
    }
}

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

    private static let surePartLetterCount = 12

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
        // A cell stands for so many letters typed as the depth has, more or less by its distance from the middle.
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
            // A few letters are the beginning of some word or other with two typos.
            guard ending != .letter || edits <= 1 || pattern.letters.count >= Self.surePartLetterCount else { continue }
            let found = TitleDistance(
                edits: Int(edits) + pattern.spent, ending: ending)
            nearest = nearest.map { min($0, found) } ?? found
        }
        return nearest
    }
}

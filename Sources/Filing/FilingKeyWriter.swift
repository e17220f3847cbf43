/// Writes a filing key: the bytes that are compared when titles and names are put in order.
///
/// Letters without their case and marks, numbers by value, one blank between words; other punctuation counts as a blank,
/// apostrophes as nothing. `docs/TITLES.md` has the rules and the bytes.
///
/// Always true: no byte is below 0x20 or is 0xFF, no blank is first, last or doubled, every letter and number is whole,
/// and the same text makes the same bytes on every platform and system version.
struct FilingKeyWriter {
    private(set) var bytes: [UInt8] = []
    private(set) var isFull = false
    private var blankIsPending = false
    private var number: FilingNumber?
    /// The last letter above ASCII as it was written, which the next may join, and where its bytes begin; 0 when there is none.
    private var last: UInt32 = 0
    private var lastStart = 0
    /// Behind a Thai or Lao vowel that waits for its consonant.
    private var endOfOpenVowel = -1

    private let limit: Int
    private let tailoring: FilingTailoring
    /// Whether "20.000" is one number, as it is to most of Europe.
    private let groupsByPeriod: Bool

    init(limit: Int, tailoring: FilingTailoring, groupsByPeriod: Bool = false, expecting byteCount: Int = 0) {
        self.limit = limit
        self.tailoring = tailoring
        self.groupsByPeriod = groupsByPeriod
        bytes.reserveCapacity(min(byteCount + 4, limit + FilingNumber.maximumByteCount))
    }

    /// The key of a text in valid UTF-8.
    static func key(
        _ utf8: ArraySlice<UInt8>, limit: Int, tailoring: FilingTailoring, groupsByPeriod: Bool = false
    ) -> [UInt8] {
        var writer = FilingKeyWriter(
            limit: limit, tailoring: tailoring, groupsByPeriod: groupsByPeriod, expecting: utf8.count)
        writer.add(utf8)
        return writer.bytes
    }

    private mutating func add(_ text: ArraySlice<UInt8>) {
        var index = text.startIndex
        while index < text.endIndex, !isFull {
            let byte = text[index]
            if byte < 0x80 {
                if number != nil, isGroupSeparator(byte), FilingNumber.isGroup(text, behind: index),
                    number?.acceptsGroup() == true
                {
                    index += 1
                    continue
                }
                addASCII(byte)
                index += 1
            } else {
                index = addCharacter(text, at: index)
            }
        }
        endNumber()
        if tailoring == .danish { joinDoubleA() }
    }

    // MARK: One character

    private mutating func addASCII(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): append(byte)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): append(byte | 0x20)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): appendDigit(byte)
        case UInt8(ascii: "'"), UInt8(ascii: "`"): break
        default: addBlank()
        }
    }

    /// Adds the character above ASCII that begins at an index, and gives the index behind it.
    private mutating func addCharacter(_ text: ArraySlice<UInt8>, at start: Int) -> Int {
        let waiting = Folding.filing.markClass(of: UTF8Scalar(text, at: start).value).map { takeMarks(above: $0) } ?? []
        defer { for mark in waiting { addLetter(mark) } }
        return addInPlace(text, at: start)
    }

    private mutating func takeMarks(above markClass: UInt8) -> [UInt32] {
        guard !blankIsPending, number == nil else { return [] }
        func lastLetter(_ bytes: [UInt8]) -> Folding.Letter? {
            guard let start = Folding.startOfLastLetter(bytes[...]) else { return nil }
            return FilingAlphabet.firstLetter(of: bytes[start...]).map { ($0.scalar.value, start) }
        }
        let marks = Folding.filing.takeMarks(above: markClass, off: &bytes, lastLetter)
        if !marks.isEmpty { (last, lastStart) = lastLetter(bytes) ?? (0, 0) }
        return marks
    }

    private mutating func addInPlace(_ text: ArraySlice<UInt8>, at start: Int) -> Int {
        let character = UTF8Scalar(text, at: start)
        let scalar = character.value
        if let bytes = tailoring.bytes(for: scalar) {
            append(bytes)
            return character.end
        }
        if last != 0, !blankIsPending, let composite = composite(with: scalar) {
            // As many bytes as the pieces that it is made of (`FoldingTable.composed`).
            bytes.removeLast(bytes.count - lastStart)
            addLetter(composite)
            return character.end
        }
        if KanaRow.isRepetition(scalar) {
            repeatKana(scalar)
            return character.end
        }
        if scalar == Self.yehWithHamza, bytes.isEmpty || blankIsPending {
            append(FilingAlphabet.letter(Self.hamza))
            return character.end
        }
        switch Folding.filing.rule(for: scalar) {
        case .dropped: joinMark(scalar, text, at: start)
        case .blank:
            guard number != nil, FilingNumber.isGroupSeparator(scalar), FilingNumber.isGroup(text, at: character.end),
                number?.acceptsGroup() == true
            else {
                addBlank()
                break
            }
        case .kept, .replaced: addLetter(scalar)
        }
        return character.end
    }

    /// Adds what stands for a letter, or with Thai and Lao changes its place with the vowel before.
    private mutating func addLetter(_ scalar: UInt32) {
        if case .replaced(let range) = Folding.filing.rule(for: scalar) {
            let replacement = Folding.filing.replacements[range]
            if replacement.first ?? 0 < 0x80 {
                for byte in replacement { addASCII(byte) }
                return
            }
            append(replacement)
        } else {
            endNumber()
            guard !isFull else { return }
            switch scalar {
            case 0x1100...0x11FF: append(FilingAlphabet.letter(HangulSyllable.alone(scalar)))
            case _ where FilingAlphabet.isWrittenBeforeConsonant(scalar):
                append(FilingAlphabet.letter(scalar))
                endOfOpenVowel = bytes.count
            case _
            where endOfOpenVowel == bytes.count && !blankIsPending && FilingAlphabet.isThaiOrLaoConsonant(scalar):
                replaceLast(3, with: FilingAlphabet.letter(scalar).bytes + bytes.suffix(3))
            default: append(FilingAlphabet.letter(scalar))
            }
        }
        last = scalar
    }

    // MARK: Characters that change the one before

    /// What the last letter and the one behind it are together; `nil` where they are two. A letter of Hangul that stands alone is
    /// filed as a syllable, which a final may join.
    private func composite(with scalar: UInt32) -> UInt32? {
        if let composite = Folding.filing.composite(last, scalar) { return composite }
        guard HangulSyllable.finals.contains(scalar), let filed = FilingAlphabet.firstLetter(of: bytes[lastStart...])
        else { return nil }
        return HangulSyllable.composed(filed.scalar.value, scalar)
    }

    /// A mark that makes a letter of the tailoring of the one before it, as U+0308 makes ä of a: both spellings file alike.
    private mutating func joinMark(_ mark: UInt32, _ text: ArraySlice<UInt8>, at index: Int) {
        guard !blankIsPending, number == nil, let before = bytes.last else { return }
        if mark == Self.hamzaAbove { return joinHamza(text, at: Self.endOfLetter(text, before: index)) }
        // What stands between the two are marks that leave no trace, or they are the letter's own.
        guard (0x300...0x30B).contains(mark),
            let letter = TailoredLetter(base: before, mark: mark), let joined = tailoring.bytes(for: letter)
        else { return }
        replaceLast(1, with: joined)
    }

    /// Where the letter ends that a mark is of: before it, and before other marks of that letter, of which no text has more than some.
    private static func endOfLetter(_ text: ArraySlice<UInt8>, before index: Int) -> Int {
        var end = index
        for _ in 0..<Folding.mostMarks where end > text.startIndex {
            var start = end - 1
            while start > text.startIndex, text[start] & 0xC0 == 0x80 { start -= 1 }
            guard text[start] >= 0x80 else { break }
            let scalar = UTF8Scalar(text, at: start).value
            guard Folding.filing.rule(for: scalar) == .dropped || Folding.filing.markClass(of: scalar) != nil else {
                break
            }
            end = start
        }
        return end
    }

    /// At the beginning of a word a yeh with hamza is the sign that Kurdish and Uyghur put before a vowel, and files first.
    private mutating func joinHamza(_ text: ArraySlice<UInt8>, at index: Int) {
        guard index - 2 >= text.startIndex, text[index - 2] == 0xD9, text[index - 1] == 0x8A, !blankIsPending,
            bytes.count == 2 || bytes.count > 2 && bytes[bytes.count - 3] == UInt8(ascii: " ")
        else { return }
        replaceLast(2, with: FilingAlphabet.letter(Self.hamza).bytes)
    }

    private static let yehWithHamza: UInt32 = 0x626
    private static let hamzaAbove: UInt32 = 0x654
    private static let hamza: UInt32 = 0x621

    /// Two A are an Å to Danes and Norwegians, whatever accents they have.
    private mutating func joinDoubleA() {
        let letter = UInt8(ascii: "a")
        guard let ring = tailoring.bytes(for: .aRing) else { return }
        var index = 0
        while index + 1 < bytes.count {
            if bytes[index] == letter, bytes[index + 1] == letter {
                bytes.replaceSubrange(index...index + 1, with: ring)
            }
            index += 1
        }
    }

    /// The sign of a long vowel files as that vowel, the sign of repetition as the kana it repeats.
    private mutating func repeatKana(_ sign: UInt32) {
        guard number == nil, !blankIsPending, bytes.count >= 3, bytes[bytes.count - 3] == FilingAlphabet.kanaLead,
            let kana = FilingAlphabet.firstLetter(of: bytes.suffix(3))?.scalar.value,
            let repeated = KanaRow.repeated(sign, behind: kana)
        else { return }
        addLetter(repeated)
    }

    // MARK: Bytes

    private mutating func addBlank() {
        endNumber()
        blankIsPending = !bytes.isEmpty
    }

    private mutating func append(_ byte: UInt8) {
        if number != nil { endNumber() }
        guard !isFull, bytes.count + (blankIsPending ? 2 : 1) <= limit else {
            isFull = true
            return
        }
        writePendingBlank()
        bytes.append(byte)
        last = 0
    }

    private mutating func append(_ letter: FilingAlphabet.Letter) {
        guard beginLetter(letter.count) else { return }
        for index in 0..<letter.count { bytes.append(letter[index]) }
    }

    private mutating func append(_ letter: some Collection<UInt8>) {
        guard beginLetter(letter.count) else { return }
        bytes.append(contentsOf: letter)
    }

    private mutating func beginLetter(_ byteCount: Int) -> Bool {
        if number != nil { endNumber() }
        guard !isFull, bytes.count + (blankIsPending ? 1 : 0) + byteCount <= limit else {
            isFull = true
            return false
        }
        writePendingBlank()
        last = 0
        lastStart = bytes.count
        return true
    }

    private mutating func replaceLast(_ byteCount: Int, with letter: [UInt8]) {
        guard !blankIsPending, bytes.count >= byteCount else { return }
        bytes.removeLast(byteCount)
        append(letter)
        // Where the longer letter does not fit, nothing of the shorter one is left, and no blank before it.
        if isFull, bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
    }

    private mutating func appendDigit(_ digit: UInt8) {
        guard !isFull else { return }
        if number == nil {
            writePendingBlank()
            number = FilingNumber(start: bytes.count)
            last = 0
        }
        number?.add(digit, to: &bytes)
    }

    private mutating func endNumber() {
        guard let number else { return }
        self.number = nil
        number.finish(&bytes)
        guard bytes.count > limit else { return }
        isFull = true
        bytes.removeSubrange(number.start...)
        if bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
    }

    private mutating func writePendingBlank() {
        guard blankIsPending else { return }
        bytes.append(UInt8(ascii: " "))
        blankIsPending = false
    }

    private func isGroupSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || groupsByPeriod && byte == UInt8(ascii: ".")
    }
}

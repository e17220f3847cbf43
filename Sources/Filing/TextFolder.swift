/// Folded text so far. A blank waits until a letter follows it, so none is ever first, last or doubled.
///
/// One folder can hold many texts, one behind the other: `begin` starts the next.
package struct TextFolder {
    package private(set) var bytes: [UInt8] = []
    private(set) var isFull = false
    /// Where the text that is being folded begins.
    private var start = 0
    private var blankIsPending = false
    /// The last character above ASCII as it was written, which the next may join, and where its bytes begin; 0 when there is none.
    private var last: UInt32 = 0
    private var lastStart = 0
    private let limit: Int

    package init(limit: Int = .max, expecting byteCount: Int = 0) {
        self.limit = limit
        bytes.reserveCapacity(min(byteCount + 1, limit))
    }

    /// Whether the text that is being folded has no letter yet.
    package var isEmpty: Bool { bytes.count == start }

    /// Adds the text at a place of some bytes, all of it: to cross modules for each letter takes twice as long.
    package mutating func add(_ utf8: RawSpan, _ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= utf8.byteCount, "a place within the bytes")
        // Safe because offsets stay within the range, which lies within the bytes.
        func byte(_ offset: Int) -> UInt8 { unsafe utf8.unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let first = byte(offset)
            guard first >= 0x80 else {
                addASCII(first)
                offset += 1
                continue
            }
            let end = min(offset + (first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4), range.upperBound)
            var scalar = UInt32(first) & (0xFF >> UInt32(end - offset + 1))
            for place in offset + 1..<end { scalar = scalar << 6 | UInt32(byte(place) & 0x3F) }
            add(scalar)
            offset = end
        }
    }

    /// Adds one character.
    package mutating func add(_ scalar: Unicode.Scalar) {
        if scalar.isASCII { addASCII(UInt8(scalar.value)) } else { add(scalar.value) }
    }

    mutating func addASCII(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            append(byte)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
            append(byte | 0x20)
        case UInt8(ascii: "'"), UInt8(ascii: "`"):
            break
        default:
            blankIsPending = !isEmpty
        }
    }

    /// Adds one character above ASCII.
    mutating func add(_ scalar: UInt32) {
        let waiting = Folding.shared.markClass(of: scalar).map { takeMarks(above: $0) } ?? []
        addInPlace(scalar)
        for mark in waiting { addInPlace(mark) }
    }

    private mutating func takeMarks(above markClass: UInt8) -> [UInt32] {
        guard !blankIsPending else { return [] }
        let start = start
        func lastLetter(_ bytes: [UInt8]) -> Folding.Letter? {
            Folding.startOfLastLetter(bytes[start...]).map { (Self.scalar(bytes[$0...]), $0) }
        }
        let marks = Folding.shared.takeMarks(above: markClass, off: &bytes, lastLetter)
        if !marks.isEmpty { (last, lastStart) = lastLetter(bytes) ?? (0, 0) }
        return marks
    }

    private mutating func addInPlace(_ scalar: UInt32) {
        let folding = Folding.shared
        if last != 0, !blankIsPending {
            if let composite = folding.composite(last, scalar) {
                // As many bytes as the pieces that it is made of (`FoldingTable.composed`).
                bytes.removeLast(bytes.count - lastStart)
                return addLetter(composite, folding.rule(for: composite))
            }
            if KanaRow.isRepetition(scalar),
                let kana = KanaRow.repeated(scalar, behind: Self.scalar(bytes[lastStart...]))
            {
                return addLetter(kana, .kept)
            }
        }
        addLetter(scalar, folding.rule(for: scalar))
    }

    private mutating func addLetter(_ scalar: UInt32, _ rule: Folding.Rule) {
        switch rule {
        case .kept:
            appendUTF8(of: scalar)
            last = scalar
        case .dropped: break
        case .blank: blankIsPending = !isEmpty
        case .replaced(let range):
            let replacement = Folding.shared.replacements[range]
            if replacement.first ?? 0 < 0x80 {
                for byte in replacement { addASCII(byte) }
            } else {
                append(replacement)
                last = scalar
            }
        }
    }

    // MARK: Several texts

    /// Ends the text with bytes that are not folded, and begins the next.
    package mutating func begin(behind separator: UInt8) {
        bytes.append(separator)
        start = bytes.count
        blankIsPending = false
        last = 0
    }

    /// Adds bytes as they are.
    package mutating func append(unfolded byte: UInt8) { bytes.append(byte) }

    /// Takes separators off the end again.
    package mutating func removeLast(while isSuperfluous: (UInt8) -> Bool) {
        while let last = bytes.last, isSuperfluous(last) { bytes.removeLast() }
    }

    /// Drops all texts.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        start = 0
        blankIsPending = false
        last = 0
    }

    // MARK: Bytes

    private mutating func append(_ byte: UInt8) {
        guard hasRoom(for: 1) else { return }
        bytes.append(byte)
    }

    private mutating func append(_ character: some Collection<UInt8>) {
        guard hasRoom(for: character.count) else { return }
        bytes.append(contentsOf: character)
    }

    private mutating func appendUTF8(of scalar: UInt32) {
        func rest(_ shift: UInt32) -> UInt8 { 0x80 | UInt8(truncatingIfNeeded: scalar >> shift & 0x3F) }
        let count = scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
        guard hasRoom(for: count) else { return }
        switch count {
        case 2: bytes.append(0xC0 | UInt8(truncatingIfNeeded: scalar >> 6))
        case 3: bytes.append(0xE0 | UInt8(truncatingIfNeeded: scalar >> 12))
        default:
            bytes.append(0xF0 | UInt8(truncatingIfNeeded: scalar >> 18 & 7))
            bytes.append(rest(12))
        }
        if count > 2 { bytes.append(rest(6)) }
        bytes.append(rest(0))
    }

    /// Whether so many bytes fit, and the blank before them, which is added.
    private mutating func hasRoom(for count: Int) -> Bool {
        guard bytes.count + (blankIsPending ? 1 : 0) + count <= limit else {
            isFull = true
            return false
        }
        if blankIsPending { bytes.append(UInt8(ascii: " ")) }
        blankIsPending = false
        last = 0
        lastStart = bytes.count
        return true
    }

    /// The scalar of two, three or four bytes of UTF-8.
    static func scalar(_ utf8: ArraySlice<UInt8>) -> UInt32 {
        var value = UInt32(utf8[utf8.startIndex]) & (0xFF >> UInt32(utf8.count + 1))
        for byte in utf8.dropFirst() {
            value = value << 6 | UInt32(byte & 0x3F)
        }
        return value
    }
}

/// Text as a filing clerk sees it: lower-case letters and digits, in words one blank apart.
///
/// Marks and apostrophes leave no trace, other punctuation counts as a blank, letters with marks and ligatures become
/// their base letters. Since a blank sorts before every letter, comparing two folded texts byte by byte puts them in
/// order word by word, "nothing before something": New York before Newark.
///
/// Always true: no byte is below 0x20, no blank is first, last or doubled, and the same text folds to the same bytes
/// on every platform and system version.
struct FoldedText: Equatable, Sendable {
    let bytes: [UInt8]

    var isEmpty: Bool { bytes.isEmpty }

    /// Folds a text.
    init(_ text: some StringProtocol) {
        self.init(utf8: Array(text.utf8)[...])
    }

    /// Folds valid UTF-8, stopping before the character that would make the result longer than `limit` bytes.
    init(utf8: ArraySlice<UInt8>, limit: Int = .max) {
        var folder = Folder(limit: limit, expecting: utf8.count)
        var index = utf8.startIndex
        while index < utf8.endIndex, !folder.isFull {
            let byte = utf8[index]
            if byte < 0x80 {
                folder.addASCII(byte)
                index += 1
            } else {
                let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
                let end = min(index + length, utf8.endIndex)
                folder.add(utf8[index..<end])
                index = end
            }
        }
        bytes = folder.bytes
    }
}

/// The folded text so far. A blank waits until a letter follows it, so none is ever first, last or doubled.
private struct Folder {
    private(set) var bytes: [UInt8] = []
    private(set) var isFull = false
    private var blankIsPending = false
    private let limit: Int

    init(limit: Int, expecting byteCount: Int) {
        self.limit = limit
        bytes.reserveCapacity(min(byteCount + 1, limit))
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
            blankIsPending = !bytes.isEmpty
        }
    }

    /// Adds one character above ASCII, given as its UTF-8.
    mutating func add(_ character: ArraySlice<UInt8>) {
        let folding = Folding.shared
        switch folding.rule(for: Self.scalar(character)) {
        case .kept: append(character)
        case .dropped: break
        case .blank: blankIsPending = !bytes.isEmpty
        case .replaced(let range): append(folding.replacements[range])
        }
    }

    private mutating func append(_ byte: UInt8) {
        guard bytes.count + (blankIsPending ? 2 : 1) <= limit else {
            isFull = true
            return
        }
        addPendingBlank()
        bytes.append(byte)
    }

    private mutating func append(_ character: some Collection<UInt8>) {
        guard bytes.count + (blankIsPending ? 1 : 0) + character.count <= limit else {
            isFull = true
            return
        }
        addPendingBlank()
        bytes.append(contentsOf: character)
    }

    private mutating func addPendingBlank() {
        guard blankIsPending else { return }
        bytes.append(UInt8(ascii: " "))
        blankIsPending = false
    }

    /// The scalar of two, three or four bytes of UTF-8.
    private static func scalar(_ utf8: ArraySlice<UInt8>) -> UInt32 {
        var value = UInt32(utf8[utf8.startIndex]) & (0xFF >> UInt32(utf8.count + 1))
        for byte in utf8.dropFirst() {
            value = value << 6 | UInt32(byte & 0x3F)
        }
        return value
    }
}

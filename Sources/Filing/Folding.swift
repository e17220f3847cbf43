/// `FoldingTable`, laid out for looking up: what stands for a Unicode scalar in folded text, or in a filing key.
///
/// Two steps reach the answer. The upper bits of the scalar choose a block of 256 rules, most of which are one shared
/// block of "kept"; the lower eight bits choose the rule. Made once, at the first title with a character above ASCII
/// (some 40 KiB and well under a millisecond).
struct Folding: Sendable {
    /// What to do with a scalar.
    enum Rule: Equatable {
        case kept
        case dropped
        case blank
        case replaced(by: Range<Int>)
    }

    /// For text that is matched and searched: replacements are UTF-8.
    static let shared = Folding()

    /// For filing keys: replacements are the bytes of the key, among them blanks and digits in ASCII.
    static let filing = Folding(isFiling: true)

    /// The bytes of every replacement, one after the other.
    private(set) var replacements: [UInt8] = []
    /// Where each replacement starts in `replacements`; one more than there are, so that an end is the next start.
    private var starts: [UInt16] = [0]
    /// The block of rules for the scalars that share their upper bits; 0 is the block that keeps everything.
    private var blockNumbers = [UInt8](repeating: 0, count: Self.scalarCount / 256)
    /// Blocks of 256 codes: 0 kept, 1 dropped, 2 blank, from 3 on the replacement's index plus 3; and `joinsBit` or `marksBit`.
    private var codes = [UInt16](repeating: 0, count: 256)
    /// What two scalars make, by the first in the upper and the second in the lower half.
    private var composites: [UInt64: UInt32] = [:]
    /// The canonical class of each mark that is kept.
    private var markClasses: [UInt32: UInt8] = [:]

    /// Scalars from here on are kept, but for the variation selectors of plane 14.
    private static let scalarCount = 0x30000
    private static let joinsBit: UInt16 = 0x8000
    private static let marksBit: UInt16 = 0x4000
    private static let planeFourteenSelectors: ClosedRange<UInt32> = 0xE0100...0xE01EF
    private static let firstReplacementCode = 3

    private init(isFiling: Bool = false) {
        for scalar in Self.ranges(FoldingTable.dropped).joined() where scalar < Self.scalarCount {
            setCode(1, for: scalar)
        }
        for scalar in Self.ranges(FoldingTable.blank).joined() {
            setCode(2, for: scalar)
        }
        for zeros in Self.ranges(FoldingTable.zeros) {
            for digit in 0..<10 {
                setCode(code(ofReplacement: [UInt8(ascii: "0") + UInt8(digit)]), for: zeros.lowerBound + digit)
            }
        }
        addReplacements(FoldingTable.replaced, isFiling)
        if isFiling {
            addReplacements(FoldingTable.filed, isFiling)
            for scalar in Self.ranges(FoldingTable.filedDropped).joined() {
                setCode(1, for: scalar)
            }
        }
        addComposites(FoldingTable.composed)
        addMarks(FoldingTable.markClasses)
    }

    private mutating func addMarks(_ table: String) {
        for line in table.split(separator: "\n") {
            let ranges = Self.ranges(String(line))
            guard let number = ranges.first?.lowerBound else { continue }
            for scalar in ranges.dropFirst().joined() where rule(for: UInt32(scalar)) == .kept {
                markClasses[UInt32(scalar)] = UInt8(number)
                makeBlock(for: scalar)
                codes[index(of: scalar)] |= Self.marksBit
            }
        }
    }

    private mutating func addReplacements(_ table: String, _ isFiling: Bool) {
        Self.forEachGroup(table) { replacement, scalars in
            let code = code(ofReplacement: replacement.flatMap { Self.bytes(of: $0, isFiling) })
            for scalar in scalars { setCode(code, for: Int(scalar.value)) }
        }
    }

    private mutating func addComposites(_ table: String) {
        Self.forEachGroup(table) { composite, pair in
            guard let composite = composite.first, let first = pair.first, let second = pair.last else { return }
            composites[UInt64(first.value) << 32 | UInt64(second.value)] = composite.value
            setJoins(Int(second.value))
        }
        for letter in [HangulSyllable.vowels, HangulSyllable.finals].joined() { setJoins(Int(letter)) }
    }

    /// Goes through the groups of a table, `left=right`, with blanks and line ends between them. It reads scalars, because a combining
    /// mark after a blank or "=" would form one Character with it.
    private static func forEachGroup(_ table: String, _ body: ([Unicode.Scalar], [Unicode.Scalar]) -> Void) {
        var (left, right): ([Unicode.Scalar], [Unicode.Scalar]?) = ([], nil)
        func endGroup() {
            if let right { body(left, right) }
            left.removeAll(keepingCapacity: true)
            right = nil
        }
        for scalar in table.unicodeScalars {
            switch scalar {
            case " ", "\n": endGroup()
            case "=" where right == nil: right = []
            default: if right == nil { left.append(scalar) } else { right?.append(scalar) }
            }
        }
        endGroup()
    }

    private static func bytes(of scalar: Unicode.Scalar, _ isFiling: Bool) -> [UInt8] {
        if scalar == "_" { return [UInt8(ascii: " ")] }
        if isFiling, !scalar.isASCII { return FilingAlphabet.letter(scalar.value).bytes }
        return Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// The rule for a scalar above ASCII.
    func rule(for scalar: UInt32) -> Rule {
        guard scalar < Self.scalarCount else {
            return Self.planeFourteenSelectors.contains(scalar) ? .dropped : .kept
        }
        let code = Int(codes[index(of: Int(scalar))] & ~(Self.joinsBit | Self.marksBit))
        switch code {
        case 0: return .kept
        case 1: return .dropped
        case 2: return .blank
        default:
            let index = code - Self.firstReplacementCode
            return .replaced(by: Int(starts[index])..<Int(starts[index + 1]))
        }
    }

    /// More of them behind one letter are put in no order: so no text takes more than a time for each of its characters. Unicode's own streams end such a
    /// run at as many (UAX #15, Stream-Safe Text Format).
    static let mostMarks = 30

    /// The canonical class of a mark that is kept, not 0: marks of several classes behind one letter are the same in whatever order they stand.
    func markClass(of scalar: UInt32) -> UInt8? {
        guard scalar < Self.scalarCount, codes[index(of: Int(scalar))] & Self.marksBit != 0 else { return nil }
        return markClasses[scalar]
    }

    /// A letter above ASCII, and where its bytes begin.
    typealias Letter = (scalar: UInt32, start: Int)

    /// Takes marks of a higher class off the end of what was written, before which one of a lower class has its place, and gives them in their order.
    ///
    /// - Parameter lastLetter: the last letter of some bytes, where it is above ASCII.
    func takeMarks(
        above markClass: UInt8, off bytes: inout [UInt8], _ lastLetter: ([UInt8]) -> Letter?
    ) -> [UInt32] {
        var marks: [UInt32] = []
        while marks.count < Self.mostMarks, let letter = lastLetter(bytes),
            let other = self.markClass(of: letter.scalar), other > markClass
        {
            marks.append(letter.scalar)
            bytes.removeSubrange(letter.start...)
        }
        return marks.reversed()
    }

    /// Where the last letter begins, as UTF-8 does; `nil` where it is ASCII.
    static func startOfLastLetter(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard var start = bytes.indices.last, bytes[start] >= 0x80 else { return nil }
        while start > bytes.startIndex, bytes[start] & 0xC0 == 0x80 { start -= 1 }
        return start
    }

    /// The one character that a scalar and the one behind it are; `nil` where they are two.
    func composite(_ first: UInt32, _ second: UInt32) -> UInt32? {
        guard first >= Self.firstComposed, second < Self.scalarCount, codes[index(of: Int(second))] & Self.joinsBit != 0
        else { return nil }
        return HangulSyllable.composed(first, second) ?? composites[UInt64(first) << 32 | UInt64(second)]
    }

    private static let firstComposed: UInt32 = 0x400

    private func index(of scalar: Int) -> Int { Int(blockNumbers[scalar >> 8]) * 256 + (scalar & 0xFF) }

    private mutating func setCode(_ code: UInt16, for scalar: Int) {
        makeBlock(for: scalar)
        codes[index(of: scalar)] = code
    }

    private mutating func setJoins(_ scalar: Int) {
        makeBlock(for: scalar)
        codes[index(of: scalar)] |= Self.joinsBit
    }

    private mutating func makeBlock(for scalar: Int) {
        guard blockNumbers[scalar >> 8] == 0 else { return }
        blockNumbers[scalar >> 8] = UInt8(codes.count / 256)
        codes.append(contentsOf: repeatElement(0, count: 256))
    }

    /// Adds a replacement and gives its code. A group that spans two lines of the table adds its bytes twice.
    private mutating func code(ofReplacement bytes: [UInt8]) -> UInt16 {
        replacements.append(contentsOf: bytes)
        starts.append(UInt16(replacements.count))
        return UInt16(starts.count - 2 + Self.firstReplacementCode)
    }

    /// Hexadecimal numbers in capitals, and ranges such as `300-36F`, with blanks and line ends between them.
    private static func ranges(_ text: String) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var (first, number): (Int?, Int?) = (nil, nil)
        func endRange() {
            if let number { ranges.append((first ?? number)..<number + 1) }
            (first, number) = (nil, nil)
        }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"): (first, number) = (number, nil)
            case UInt8(ascii: " "), UInt8(ascii: "\n"): endRange()
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = (number ?? 0) << 4 | Int(byte - UInt8(ascii: "0"))
            default: number = (number ?? 0) << 4 | Int(byte - UInt8(ascii: "A") + 10)
            }
        }
        endRange()
        return ranges
    }
}

/// A number within a filing key, which files by its value.
///
/// A digit stands for itself. A longer number begins with a letter that tells how many digits follow, B for 2 to Y for
/// 25, so that the longer of two comes behind; beyond, `Z`, the count in three digits (999 at most) and the first 25
/// digits. Leading zeros do not count.
struct FilingNumber {
    /// Where its bytes begin in the key.
    let start: Int
    private var digitCount = 0
    private var groupDigitCount = 0
    private var isGrouped = false
    private var beginsWithZero = false

    static let maximumByteCount = 1 + 3 + keptDigitCount
    static let keptDigitCount = 25
    static let longLead = UInt8(ascii: "Z")
    /// The lead of a number of n digits is n behind this.
    static let leadBase = UInt8(ascii: "A") - 1

    init(start: Int) { self.start = start }

    /// - Parameter digit: in ASCII.
    mutating func add(_ digit: UInt8, to bytes: inout [UInt8]) {
        if groupDigitCount == 0, !isGrouped { beginsWithZero = digit == UInt8(ascii: "0") }
        groupDigitCount += 1
        guard digitCount > 0 || digit != UInt8(ascii: "0") else { return }
        digitCount += 1
        if digitCount <= Self.keptDigitCount { bytes.append(digit) }
    }

    /// Whether a separator and three digits may go on with the number: not "0,123" or "1234,567".
    mutating func acceptsGroup() -> Bool {
        guard !beginsWithZero, groupDigitCount <= 3 else { return false }
        isGrouped = true
        groupDigitCount = 0
        return true
    }

    /// Puts what tells the length before the digits.
    func finish(_ bytes: inout [UInt8]) {
        switch digitCount {
        case 0: bytes.append(UInt8(ascii: "0"))
        case 1: break
        case ...Self.keptDigitCount: bytes.insert(Self.leadBase + UInt8(digitCount), at: start)
        default:
            let count = min(digitCount, 999)
            let digits = [count / 100, count / 10 % 10, count % 10].map { UInt8(ascii: "0") + UInt8($0) }
            bytes.insert(contentsOf: [Self.longLead] + digits, at: start)
        }
    }

    // MARK: Groups of thousands

    /// Separators above ASCII: narrow blanks that do not break a line, and Arabic and wide commas.
    static func isGroupSeparator(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xA0, 0x2009, 0x202F, 0x66C, 0xFF0C: true
        default: false
        }
    }

    /// Whether behind the separator in one byte there are three digits, and no fourth.
    static func isGroup(_ text: ArraySlice<UInt8>, behind index: Int) -> Bool { isGroup(text, at: index + 1) }

    static func isGroup(_ text: ArraySlice<UInt8>, at start: Int) -> Bool {
        var index = start
        for _ in 0..<3 {
            guard let end = endOfDigit(text, at: index) else { return false }
            index = end
        }
        return endOfDigit(text, at: index) == nil
    }

    private static func endOfDigit(_ text: ArraySlice<UInt8>, at index: Int) -> Int? {
        guard index < text.endIndex else { return nil }
        let byte = text[index]
        if byte < 0x80 { return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? index + 1 : nil }
        let character = UTF8Scalar(text, at: index)
        guard case .replaced(let range) = Folding.filing.rule(for: character.value), range.count == 1,
            let digit = Folding.filing.replacements[range].first, digit < UInt8(ascii: "a")
        else { return nil }
        return character.end
    }
}

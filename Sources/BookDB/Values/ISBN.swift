/// An International Standard Book Number: the 13 digits as one integer.
///
/// ISBN-10 is another spelling of the ISBN-13 that begins with 978, so both parse to the same value and compare equal;
/// `isbn10` gives the old spelling back. A value always has a right check digit and the prefix 978 or 979.
///
/// An ISBN is no identity of a work: publishers reuse them and boxed sets share one. Use it to find, not to name.
///
/// Cost: 8 bytes; comparing and hashing are one integer operation; parsing allocates nothing.
public struct ISBN: Hashable, Sendable {
    /// The 13 digits, 9780000000002 … 9799999999990.
    public let digits: UInt64

    /// Reads an ISBN the way people and spreadsheets write it.
    ///
    /// Forgiven: spaces, hyphens and every other dash, invisible marks, `ISBN`, `ISBN-13:` and `urn:isbn:` in front,
    /// the spreadsheet spelling `="…"`, a trailing `.0`, brackets, a small `x`, and the nine digits of an SBN.
    ///
    /// - Throws: `ISBN.Problem`, which says what is wrong with the text in one sentence.
    public init(_ text: some StringProtocol) throws(Problem) {
        let symbols = try Symbols(reading: text)
        switch symbols.count {
        case 0: throw .empty
        case 9: try self.init(tenDigits: symbols.prefixed(with: 0))  // SBN, used until 1974
        case 10: try self.init(tenDigits: symbols)
        case 13: try self.init(thirteenDigits: symbols)
        default: throw .wrongLength(symbols.count)
        }
    }

    /// The ISBN with these 13 digits; nil when they are not one (wrong check digit, not 978 or 979, or 9790).
    public init?(digits: UInt64) {
        guard Self.isBookPrefix(of: digits), Self.checkDigit13(of: digits / 10) == digits % 10 else { return nil }
        self.digits = digits
    }

    /// The ten-character spelling; nil for an ISBN that begins with 979, which never had one.
    public var isbn10: String? {
        guard digits / 10_000_000_000 == 978 else { return nil }
        let nine = digits / 10 % 1_000_000_000
        let text = String(nine)
        let zeros = String(repeating: "0", count: 9 - text.utf8.count)
        return zeros + text + String(Self.symbol(for: Self.checkPlace10(of: nine)))
    }
}

extension ISBN {
    private init(tenDigits symbols: Symbols) throws(Problem) {
        let nine = try symbols.number(ofFirst: 9)
        let expected = Self.checkPlace10(of: nine)
        guard symbols.last == expected else { throw .checkDigit(expected: Self.symbol(for: expected)) }
        let twelve = 978_000_000_000 + nine
        digits = twelve * 10 + Self.checkDigit13(of: twelve)
    }

    private init(thirteenDigits symbols: Symbols) throws(Problem) {
        let twelve = try symbols.number(ofFirst: 12)
        guard Self.isBookPrefix(of: twelve * 10) else { throw .notABook }
        let expected = Self.checkDigit13(of: twelve)
        guard symbols.last == expected else { throw .checkDigit(expected: Self.symbol(for: expected)) }
        digits = twelve * 10 + expected
    }

    /// 978, or 979 without 9790: those are ISMNs, the numbers of printed music.
    private static func isBookPrefix(of digits: UInt64) -> Bool {
        let firstFour = digits / 1_000_000_000
        return 9780...9789 ~= firstFour || 9791...9799 ~= firstFour
    }

    /// Weights 1 and 3 in turn, the sum brought up to a multiple of ten.
    private static func checkDigit13(of twelve: UInt64) -> UInt64 {
        var rest = twelve
        var sum: UInt64 = 0
        for position in 0..<12 {
            sum += rest % 10 * (position % 2 == 0 ? 3 : 1)
            rest /= 10
        }
        return (10 - sum % 10) % 10
    }

    /// Weights 10 down to 2, the sum brought up to a multiple of eleven; 10 is written X.
    private static func checkPlace10(of nine: UInt64) -> UInt64 {
        var rest = nine
        var sum: UInt64 = 0
        for weight in UInt64(2)...10 {
            sum += rest % 10 * weight
            rest /= 10
        }
        return (11 - sum % 11) % 11
    }

    private static func symbol(for place: UInt64) -> Character {
        place == Symbols.x ? "X" : Character(String(place))
    }
}

extension ISBN: Comparable {
    public static func < (left: ISBN, right: ISBN) -> Bool {
        left.digits < right.digits
    }
}

extension ISBN: CustomStringConvertible {
    /// The 13 digits without hyphens: where they belong changes every month.
    public var description: String {
        String(digits)
    }
}

extension ISBN: Codable {
    /// Reads the text of an ISBN in any spelling `init(_:)` understands.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "“\(text)”: \(error)")
        }
    }

    /// Writes the 13 digits as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

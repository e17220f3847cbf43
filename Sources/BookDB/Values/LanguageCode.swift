import StorageEngine

/// The code of a language: two letters of ISO 639-1 where there are some, else three of ISO 639-3.
///
/// `en`, `eng`, `EN-us`, `English` and `Englisch` are one code, so that works from several sources can be filtered together. Of several
/// languages, `de/en` or `German, English`, it is that of the first.
public struct LanguageCode: Hashable, Sendable {
    /// Lower-case ASCII letters, the first in the lowest byte; a zero behind two of them, and above.
    private let letters: UInt32

    static let byteCount = 3

    /// By rules that are a part of `LibraryMeta.filingRulesOfBooks`; `nil` for text that begins with neither a code nor a name that is known.
    public init?(_ text: String) {
        // Most texts are two letters, with a region perhaps; what comes to a name is looked up.
        let utf8 = text.utf8
        let primary = utf8.prefix { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
        if primary.count == 2, let code = Self(letters: primary) {
            self = code
            return
        }
        var name = text.prefix { $0.isLetter || $0 == " " }.drop { $0 == " " }
        while name.last == " " { name.removeLast() }
        if let code = Self(exactly: name) {
            self = code
            return
        }
        // Three letters in front of others may be a word: “old Norse” is not the language `old`.
        let word = name.prefix { $0 != " " }
        guard word.count > 3, let code = LanguageTable.codes[word.lowercased()] else { return nil }
        self = code
    }

    /// `nil` for text that is not all a code or a name that is known.
    package init?(exactly text: Substring) {
        let name = text.lowercased()
        if let code = LanguageTable.codes[name] {
            self = code
        } else {
            self.init(letters: name.utf8)
        }
    }

    /// Two or three ASCII letters.
    init?(letters: some BidirectionalCollection<UInt8>) {
        guard (2...3).contains(letters.count) else { return nil }
        self.init(letters: letters.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1 | 0x20) })
    }

    /// As stored in a row; `nil` for zeros and for what no code is.
    init?(_ bytes: (UInt8, UInt8, UInt8)) {
        self.init(letters: UInt32(bytes.0) | UInt32(bytes.1) << 8 | UInt32(bytes.2) << 16)
    }

    /// As stored in a key.
    init?(stored bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init((bytes[0], bytes[1], bytes[2]))
    }

    private init?(letters: UInt32) {
        for place in 0..<3 {
            let letter = UInt8(truncatingIfNeeded: letters >> UInt32(8 * place))
            guard (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) || (place == 2 && letter == 0) else {
                return nil
            }
        }
        self.letters = letters
    }

    /// As stored in a row.
    var bytes: [UInt8] { (0..<3).map { UInt8(truncatingIfNeeded: letters >> UInt32(8 * $0)) } }
}

extension LanguageCode: ExpressibleByStringLiteral, CustomStringConvertible {
    /// For codes in source: `"fr"`. A literal that is no code is a mistake in the program.
    public init(stringLiteral text: String) {
        guard let code = LanguageCode(text) else { preconditionFailure("“\(text)” is no code of a language") }
        self = code
    }

    public var description: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}

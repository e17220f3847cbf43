import StorageEngine

/// The code of a language: two letters of ISO 639-1 where there are some, else three of ISO 639-3.
///
/// `en`, `eng`, `EN-us` and `English` are one code, so that works from several sources can be filtered together.
public struct LanguageCode: Hashable, Sendable {
    /// Lower-case ASCII letters, the first in the lowest byte; a zero behind two of them, and above.
    private let letters: UInt32

    static let byteCount = 3

    /// `nil` for text that is neither a code nor a name that is known.
    public init?(_ text: String) {
        let primary = text.utf8.prefix { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }.map { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        let code = primary.count > 2 ? Self.codes[String(decoding: primary, as: UTF8.self)] : nil
        let bytes = code.map { Array($0.utf8) } ?? primary
        guard (2...3).contains(bytes.count) else { return nil }
        self.init(letters: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
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

    /// Three letters, bibliographic or terminological, and English names, by the two letters they stand for.
    private static let codes: [String: String] = {
        let table = """
            af afr afrikaans|ar ara arabic|bg bul bulgarian|bn ben bengali|ca cat catalan|cs ces cze czech|cy cym wel welsh
            da dan danish|de deu ger german|el ell gre greek|en eng english|eo epo esperanto|es spa spanish|et est estonian
            eu eus baq basque|fa fas per persian|fi fin finnish|fr fra fre french|ga gle irish|gl glg galician
            he heb hebrew|hi hin hindi|hr hrv croatian|hu hun hungarian|hy hye arm armenian|id ind indonesian
            is isl ice icelandic|it ita italian|ja jpn japanese|ka kat geo georgian|ko kor korean|la lat latin
            lt lit lithuanian|lv lav latvian|nb nob|nl nld dut dutch|nn nno|no nor norwegian|pl pol polish
            pt por portuguese|ro ron rum romanian|ru rus russian|sk slk slo slovak|sl slv slovenian|sq sqi alb albanian
            sr srp serbian|sv swe swedish|ta tam tamil|th tha thai|tr tur turkish|uk ukr ukrainian|ur urd urdu
            vi vie vietnamese|yi yid yiddish|zh zho chi chinese
            """
        var codes: [String: String] = [:]
        for language in table.split(whereSeparator: { $0 == "|" || $0 == "\n" }) {
            let names = language.split(separator: " ").map(String.init)
            for name in names.dropFirst() { codes[name] = names[0] }
        }
        return codes
    }()
}

extension LanguageCode: ExpressibleByStringLiteral, CustomStringConvertible {
    /// For codes in source: `"fr"`. A literal that is no code is a mistake in the program.
    public init(stringLiteral text: String) {
        guard let code = LanguageCode(text) else { preconditionFailure("“\(text)” is no code of a language") }
        self = code
    }

    public var description: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}

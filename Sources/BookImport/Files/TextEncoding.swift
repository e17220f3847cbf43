/// How the bytes of a file stand for letters.
public enum TextEncoding: String, CaseIterable, Hashable, Sendable {
    case utf8 = "utf-8"
    case utf16LittleEndian = "utf-16le"
    case utf16BigEndian = "utf-16be"

    /// What Windows calls ANSI in the west. Latin-1 is read as this too, as browsers do: it differs only in control characters.
    /// Source: WHATWG Encoding Standard, index windows-1252.
    case windows1252 = "windows-1252"

    /// By the usual names, in any case: `cp1252`, `latin-1`, `utf8`. `nil` for a name that is none of them.
    public init?(named name: String) {
        let letters = name.lowercased().filter { $0.isLetter || $0.isNumber }
        switch letters {
        case "utf8": self = .utf8
        case "utf16", "utf16le": self = .utf16LittleEndian
        case "utf16be": self = .utf16BigEndian
        case "windows1252", "cp1252", "ansi", "latin1", "iso88591": self = .windows1252
        default: return nil
        }
    }

    /// The encoding that the first bytes of a file show: by a byte-order mark, or by the zeros that ASCII has in UTF-16.
    static func shown(by start: [UInt8]) -> TextEncoding? {
        if start.starts(with: [0xFF, 0xFE]) { return .utf16LittleEndian }
        if start.starts(with: [0xFE, 0xFF]) { return .utf16BigEndian }
        let pairs = min(start.count, 512) / 2
        guard pairs >= 8 else { return nil }
        let even = (0..<pairs).count { start[2 * $0] == 0 && start[2 * $0 + 1] != 0 }
        let odd = (0..<pairs).count { start[2 * $0] != 0 && start[2 * $0 + 1] == 0 }
        // A header is ASCII, nearly all of it.
        if odd * 4 > pairs * 3 { return .utf16LittleEndian }
        return even * 4 > pairs * 3 ? .utf16BigEndian : nil
    }

    /// The letters of 0x80...0x9F in windows-1252; zero where it has none.
    static let windowsLetters: [UInt16] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
        0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
        0x0178,
    ]
}

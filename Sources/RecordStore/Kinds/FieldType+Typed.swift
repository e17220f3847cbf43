/// Values of fields as people type them.
extension FieldType {
    /// Whether one value can be less than another.
    var hasOrder: Bool {
        switch self {
        case .integer, .natural, .real, .text, .identifier, .day, .moment, .money: true
        case .unknown, .flag, .bytes, .uuid, .url, .list, .named, .record: false
        }
    }

    /// As in “Write a day such as 2026-11-24”.
    var example: String {
        switch self {
        case .flag: "yes or no"
        case .integer: "a number such as -5"
        case .natural: "a number such as 12"
        case .real: "a number such as 1.5"
        case .text: "a text"
        case .bytes: "two digits for each byte, such as 00ff"
        case .identifier: "an identifier such as a3f09c-12"
        case .day: "a day such as 2026-11-24"
        case .moment: "a day such as 2026-11-24, or a time such as 2026-11-24T18:30:00Z"
        case .money: "an amount such as -12.50"
        case .uuid: "a UUID such as 6ba7b810-9dad-11d1-80b4-00c04fd430c8"
        case .url: "an address such as https://example.org"
        case .list(let element): element.example
        case .unknown, .named, .record: "nothing"
        }
    }

    /// What a record holds for a value, of a list for one of its elements; `nil` for what cannot be read.
    func value(typed: String) -> TaggedValue? {
        switch self {
        case .list(let element): return element.value(typed: typed)
        case .flag:
            guard let isSet = Self.flags[typed.lowercased()] else { return nil }
            return .number(isSet ? 1 : 0)
        case .integer, .natural, .real: return try? stored(.number(typed))
        case .moment: return try? stored(.text(Self.moment(typed)))
        case .bytes: return [UInt8](hexadecimal: typed.lowercased()).map { .bytes($0) }
        case .text, .url:
            let isQuoted = typed.count >= 2 && typed.hasPrefix("\"") && typed.hasSuffix("\"")
            return .bytes(Array((isQuoted ? String(typed.dropFirst().dropLast()) : typed).utf8))
        case .identifier, .day, .money, .uuid: return try? stored(.text(typed))
        case .unknown, .named, .record: return nil
        }
    }

    private static let flags = ["yes": true, "no": false, "true": true, "false": false, "1": true, "0": false]

    /// A day is its beginning in UTC, and seconds may be left out.
    private static func moment(_ typed: String) -> String {
        if Day(typed) != nil { return typed + "T00:00:00Z" }
        let whole = typed.hasSuffix("Z") ? String(typed.dropLast()) : typed
        return whole + (whole.count { $0 == ":" } == 1 ? ":00Z" : "Z")
    }
}

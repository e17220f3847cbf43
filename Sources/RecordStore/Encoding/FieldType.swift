/// What the values of a field mean: what a library keeps of each field of a kind, so that records can be shown by people's words, and read
/// again from these, by who has not got the type.
indirect enum FieldType: Equatable, Sendable {
    /// Of a type that nothing is known of: what is stored is shown as it lies there.
    case unknown
    case flag
    case integer
    /// Without a sign.
    case natural
    case real
    case text
    case bytes
    case identifier
    case day
    case moment
    case money
    case uuid
    case url
    case list(of: FieldType)
    /// By names, as a dictionary.
    case named(FieldType)
    case record([FieldDescription])
}

/// A field of a kind of records, or of what is nested in one.
struct FieldDescription: Equatable, Sendable {
    /// That of its coding key; `nil` for one that is stored by its name.
    let number: Int?

    /// Empty for one that goes by its number, since another has taken its name.
    var name: String

    var type: FieldType
}

extension FieldType {
    /// The raw value is part of the format.
    enum Code: UInt8, CaseIterable {
        case unknown = 0
        case flag = 1
        case integer = 2
        case natural = 3
        case real = 4
        case text = 5
        case bytes = 6
        case identifier = 7
        case day = 8
        case moment = 9
        case money = 10
        case uuid = 11
        case url = 12
        case list = 13
        case named = 14
        case record = 15
    }

    var code: Code {
        switch self {
        case .unknown: .unknown
        case .flag: .flag
        case .integer: .integer
        case .natural: .natural
        case .real: .real
        case .text: .text
        case .bytes: .bytes
        case .identifier: .identifier
        case .day: .day
        case .moment: .moment
        case .money: .money
        case .uuid: .uuid
        case .url: .url
        case .list: .list
        case .named: .named
        case .record: .record
        }
    }

    /// Those within: the fields of a record, and that of the elements.
    var inner: [FieldDescription] {
        switch self {
        case .list(let element), .named(let element): [FieldDescription(number: nil, name: "", type: element)]
        case .record(let fields): fields
        default: []
        }
    }

    /// Whether nothing within is of a type that only its own coding knows.
    var isWhollyKnown: Bool {
        switch self {
        case .unknown: false
        case .list, .named, .record: inner.allSatisfy(\.type.isWhollyKnown)
        default: true
        }
    }

    /// `nil` where what is within does not fit.
    init?(_ code: Code, _ inner: [FieldDescription]) {
        switch (code, inner.count) {
        case (.list, 1): self = .list(of: inner[0].type)
        case (.named, 1): self = .named(inner[0].type)
        case (.record, _): self = .record(inner)
        case (.list, _), (.named, _): return nil
        default:
            guard inner.isEmpty, let type = Self.plain.first(where: { $0.code == code }) else { return nil }
            self = type
        }
    }

    /// Those with nothing within.
    private static let plain: [FieldType] = [
        .unknown, .flag, .integer, .natural, .real, .text, .bytes, .identifier, .day, .moment, .money, .uuid, .url,
    ]
}

extension FieldType: CustomStringConvertible {
    /// As in “note”, a text.
    var description: String {
        switch self {
        case .unknown: "as it is stored"
        case .flag: "a flag"
        case .integer: "a whole number"
        case .natural: "a whole number without a sign"
        case .real: "a number"
        case .text: "a text"
        case .bytes: "bytes"
        case .identifier: "an identifier"
        case .day: "a day"
        case .moment: "a moment"
        case .money: "money"
        case .uuid: "a UUID"
        case .url: "a web address"
        case .list(let element): "a list, each element \(element)"
        case .named(let value): "a dictionary, each value \(value)"
        case .record: "a value with fields"
        }
    }
}

extension FieldType {
    /// What both say, one of them where the other does not know; `nil` when what is stored as one would mean something else as the other.
    /// Where both read the same, the second says what it is.
    func joined(with other: FieldType) -> FieldType? {
        switch (self, other) {
        case (.unknown, let known), (let known, .unknown): known
        // Not every text is an address, nor every number a flag: what was stored could not be read any more, or not be found.
        case (.url, .text), (.flag, .natural): other
        case (.list(let one), .list(let two)): one.joined(with: two).map { .list(of: $0) }
        case (.named(let one), .named(let two)): one.joined(with: two).map { .named($0) }
        case (.record(let one), .record(let two)): Self.joined(one, two).map { .record($0) }
        // A value whose fields go by their names is stored as a dictionary is.
        case (.named(let value), .record(let fields)) where fields.allSatisfy { $0.number == nil }:
            fields.allSatisfy { value.joined(with: $0.type) != nil } ? other : nil
        case (.record(let fields), .named(let value)) where fields.allSatisfy { $0.number == nil }:
            fields.allSatisfy { $0.type.joined(with: value) != nil } ? other : nil
        default: self == other ? self : nil
        }
    }

    /// Each field of both; the second says what it is called.
    private static func joined(_ one: [FieldDescription], _ two: [FieldDescription]) -> [FieldDescription]? {
        var fields = one
        for field in two {
            guard let index = fields.firstIndex(where: field.isField) else {
                fields.append(field)
                continue
            }
            guard let type = fields[index].type.joined(with: field.type) else { return nil }
            fields[index] = FieldDescription(number: field.number, name: field.name, type: type)
        }
        return fields.named(as: two).sorted(by: FieldDescription.precedes)
    }
}

extension [FieldDescription] {
    /// The same, of which one that is called as one of others is, and is not that, goes by its number.
    func named(as others: [FieldDescription]) -> [FieldDescription] {
        map { field in
            let other = others.first { $0.name == field.name }
            guard let other, field.number != nil, !field.isField(other) else { return field }
            return FieldDescription(number: field.number, name: "", type: field.type)
        }
    }

    /// Whether two of them have one name. One with a number and one without may: so it is of a field that went from the name to the number.
    var haveEqualNames: Bool {
        func haveEqual(_ fields: [FieldDescription]) -> Bool {
            let names = fields.map(\.name).filter { !$0.isEmpty }
            return Set(names).count != names.count
        }
        return haveEqual(filter { $0.number != nil }) || haveEqual(filter { $0.number == nil })
    }
}

extension FieldDescription {
    /// Whether it is the same as another of the same record, whatever that is called now.
    func isField(_ other: FieldDescription) -> Bool {
        number == other.number && (number != nil || name == other.name)
    }

    /// By number, and behind these by name.
    static func precedes(_ one: FieldDescription, _ two: FieldDescription) -> Bool {
        (one.number ?? .max, one.name) < (two.number ?? .max, two.name)
    }
}

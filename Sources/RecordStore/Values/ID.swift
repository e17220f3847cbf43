/// The identifier of a record, typed by what it identifies: an `ID<Account>` cannot be passed for an `ID<Category>`.
///
/// ```
///  63            40 39                                    0
/// ┌────────────────┬───────────────────────────────────────┐
/// │ device, 24 bit │ counter, 40 bit                       │
/// └────────────────┴───────────────────────────────────────┘
/// ```
///
/// The device number is drawn once per library and the counter only grows, so an identifier is never reused and two
/// devices never give out the same one. Stored as eight big-endian bytes, identifiers sort by device, then by age.
/// The text form is the device in six hexadecimal digits, a hyphen and the counter: `a3f09c-1024`.
public struct ID<Record>: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// - Precondition: `device` fits 24 bits and `counter` fits 40.
    package init(device: UInt32, counter: UInt64) {
        precondition(device <= IDLayout.maximumDevice, "a device number fits 24 bits")
        precondition(counter <= IDLayout.maximumCounter, "a counter fits 40 bits")
        rawValue = UInt64(device) << IDLayout.counterBitCount | counter
    }

    /// The identifier of a record that was not inserted yet.
    public static var unassigned: ID { ID(rawValue: 0) }

    public var device: UInt32 { UInt32(rawValue >> IDLayout.counterBitCount) }

    public var counter: UInt64 { rawValue & IDLayout.maximumCounter }

    public var isAssigned: Bool { rawValue != 0 }

    // Spelled out, since those of every raw representable type ask for the raw value through a table: sets of identifiers are large.
    public static func == (left: ID, right: ID) -> Bool { left.rawValue == right.rawValue }

    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

/// The identifier of another record, as a field: `var account: Reference<Account>`.
///
/// The same as `ID<Account>`, which cannot be relied on there: a record is `Identifiable`, so that within its braces `ID` may stand for
/// the type of its own identifier, depending on what the compiler looks at first.
public typealias Reference<Record> = ID<Record>

extension ID: Comparable {
    public static func < (left: ID, right: ID) -> Bool { left.rawValue < right.rawValue }
}

extension ID: LosslessStringConvertible {
    public init?(_ description: String) {
        let parts = description.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 6,
            parts[0].allSatisfy(\.isHexDigit), parts[1].allSatisfy(\.isNumber),  // no signs: `+1` is not a counter
            let device = UInt32(parts[0], radix: 16),
            let counter = UInt64(parts[1]), counter <= IDLayout.maximumCounter
        else { return nil }
        self.init(device: device, counter: counter)
    }

    public var description: String {
        let hexadecimal = String(device, radix: 16)
        return String(repeating: "0", count: 6 - hexadecimal.utf8.count) + hexadecimal + "-" + String(counter)
    }
}

/// Coded as its text form: a JSON number would lose the low bits in readers that know only doubles.
extension ID: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = ID(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text)\" is not an identifier such as a3f09c-1024")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The split of an identifier's bits, the same for every record type.
package enum IDLayout {
    static let counterBitCount: UInt64 = 40
    static let maximumCounter: UInt64 = (1 << 40) - 1
    static let maximumDevice: UInt32 = (1 << 24) - 1
    /// Device number of the placeholder identifiers of list rows that cannot be read; no library ever draws it.
    package static let placeholderDevice: UInt32 = (1 << 24) - 1
}

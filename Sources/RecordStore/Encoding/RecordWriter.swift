/// Writes the fields of a record in ascending order of their tags, and kept unknown fields in between.
package struct RecordWriter {
    private var bytes: [UInt8] = []
    private var unknown: ArraySlice<UnknownFields.Field>
    private var lastTag: UInt32 = 0

    package init(keeping unknownFields: UnknownFields = UnknownFields(), reserving byteCount: Int = 0) {
        unknown = unknownFields.fields[...]
        if byteCount > 0 { bytes.reserveCapacity(byteCount) }
    }

    /// The record, with what is left of the unknown fields at its end.
    package consuming func finish() -> [UInt8] {
        for field in unknown { bytes.append(contentsOf: field.bytes) }
        return bytes
    }

    // MARK: Fields with a default that is left out

    package mutating func text(_ tag: UInt32, _ value: String) {
        if !value.isEmpty { write(tag, value.utf8) }
    }

    package mutating func number(_ tag: UInt32, _ value: UInt64) {
        guard value != 0 else { return }
        begin(tag, RecordField.WireType.varint)
        append(varint: value)
    }

    package mutating func signed(_ tag: UInt32, _ value: Int64) {
        if value != 0 { number(tag, Self.folded(value)) }
    }

    package mutating func flag(_ tag: UInt32, _ value: Bool) {
        number(tag, value ? 1 : 0)
    }

    package mutating func texts(_ tag: UInt32, _ values: [String]) {
        for value in values { write(tag, value.utf8) }
    }

    // MARK: Optional fields, written whenever they are there

    package mutating func optional(_ tag: UInt32, text value: String?) {
        if let value { write(tag, value.utf8) }
    }

    package mutating func optional(_ tag: UInt32, signed value: Int?) {
        guard let value else { return }
        write(tag, number: Self.folded(Int64(value)))
    }

    // Texts, bytes and numbers have functions of their own: a generic one of another module looks up its type at each call.

    /// One field, whatever its value: for repeated numbers and nested records.
    package mutating func write(_ tag: UInt32, number value: UInt64) {
        begin(tag, RecordField.WireType.varint)
        append(varint: value)
    }

    package mutating func write(_ tag: UInt32, eightBytes value: UInt64) {
        begin(tag, RecordField.WireType.eightBytes)
        bytes.append(bigEndian: value)
    }

    package mutating func write(_ tag: UInt32, _ content: [UInt8]) {
        beginBytes(tag, content.count)
        bytes.append(contentsOf: content)
    }

    package mutating func write(_ tag: UInt32, _ content: String.UTF8View) {
        beginBytes(tag, content.count)
        bytes.append(contentsOf: content)
    }

    // MARK: Pieces

    private mutating func beginBytes(_ tag: UInt32, _ count: Int) {
        begin(tag, RecordField.WireType.bytes)
        append(varint: UInt64(count))
    }

    private mutating func begin(_ tag: UInt32, _ wireType: UInt64) {
        assert(tag >= lastTag, "fields are written in ascending order of their tags")
        lastTag = tag
        if !unknown.isEmpty {
            keepUnknownFields(before: tag)
            // A field that was set since replaces the value from the future that was kept under its tag.
            unknown = unknown.drop { $0.tag == tag }
        }
        append(varint: UInt64(tag) << 3 | wireType)
    }

    private mutating func keepUnknownFields(before tag: UInt32) {
        while let field = unknown.first, field.tag < tag {
            bytes.append(contentsOf: field.bytes)
            unknown.removeFirst()
        }
    }

    private mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// 0, -1, 1, -2 … as 0, 1, 2, 3 …
    static func folded(_ value: Int64) -> UInt64 {
        UInt64(bitPattern: value << 1 ^ value >> 63)
    }
}

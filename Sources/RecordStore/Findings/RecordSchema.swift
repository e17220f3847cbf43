/// What the tags of a record mean, for people.
package struct RecordSchema: Sendable {
    package struct Field: Sendable {
        package let tag: UInt32
        package let name: String
        package let kind: Kind
    }

    /// How a field's content reads.
    package indirect enum Kind: Sendable {
        case text
        case identifier
        case number
        case signed
        case milliseconds
        case days
        case named(@Sendable (UInt8) -> String?)
        case flags([(flag: UInt64, name: String)])
        case record(RecordSchema)
        /// Of a declared kind, in the words of an export.
        case declared(@Sendable (TaggedValue) -> String)

        /// As such fields are stored; of a declared one its bytes say it.
        package var wireType: UInt64 {
            switch self {
            case .text, .record: RecordField.WireType.bytes
            case .identifier: RecordField.WireType.eightBytes
            default: RecordField.WireType.varint
            }
        }
    }

    package let name: String
    package let fields: [Field]

    package func field(_ tag: UInt32) -> Field? { fields.first { $0.tag == tag } }

    package init(_ name: String, _ fields: [(UInt32, String, Kind)]) {
        self.name = name
        self.fields = fields.map { Field(tag: $0.0, name: $0.1, kind: $0.2) }
    }

    /// Of a declared kind, as far as the library says what its fields are called and mean.
    init(declaredAs fields: KindFields) {
        self.init(
            "record",
            fields.fields.compactMap { field in
                guard let number = field.number, !field.name.isEmpty else { return nil }
                let type = field.type
                return (FieldNumber.tag(number), field.name, .declared { type.json($0) })
            })
    }
}

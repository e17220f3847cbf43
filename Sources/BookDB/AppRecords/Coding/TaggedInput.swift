/// What a decoder reads: a place within the bytes of a record, and the same place within the blank record, for the fields that
/// the record lacks.
struct TaggedInput {
    var bytes: [UInt8]
    var place: TaggedPlace
    var blank: (bytes: [UInt8], place: TaggedPlace)?
    var depth = 0

    /// The record's key, in place of its field: its tag and the identifier. Of the outermost record.
    var identifier: (tag: UInt32, value: UInt64)?

    struct Fields {
        let primary: TaggedFields?
        let blank: TaggedFields?
    }

    var isMissing: Bool { place.isMissing }

    /// `nil` for what is not there. A value that is none of a record's is none of its fields.
    func fields() throws(RecordProblem) -> Fields {
        Fields(
            primary: try Self.fields(bytes, place),
            blank: try blank.flatMap { (bytes, place) throws(RecordProblem) in
                try Self.fields(bytes, place)
            })
    }

    private static func fields(_ bytes: [UInt8], _ place: TaggedPlace) throws(RecordProblem) -> TaggedFields? {
        switch place {
        case .missing: return nil
        case .bytes(let range): return TaggedFields(bytes, range)
        case .number: throw RecordProblem("a field is a number where fields are expected")
        }
    }

    func field(_ key: some CodingKey, of fields: Fields, usingBlank: Bool) throws -> TaggedInput {
        var field = TaggedInput(bytes: bytes, place: .missing, depth: depth + 1)
        let tag = try FieldNumber.number(of: key).map { (number) throws(BookError) in try FieldNumber.checkedTag(number)
        }
        if let identifier, tag == identifier.tag {
            field.place = .number(identifier.value)
            return field
        }
        field.place = try Self.place(tag, key, fields.primary)
        if let blank, usingBlank {
            let place = try Self.place(tag, key, fields.blank)
            if field.isMissing {
                field.bytes = blank.bytes
                field.place = place
            } else if !place.isMissing {
                field.blank = (blank.bytes, place)
            }
        }
        return field
    }

    private static func place(
        _ tag: UInt32?, _ key: some CodingKey, _ fields: TaggedFields?
    ) throws(RecordProblem) -> TaggedPlace {
        guard let fields else { return .missing }
        return if let tag { try fields.place(ofTag: tag) } else { try fields.place(named: key.stringValue) }
    }

    func element(_ place: TaggedPlace) -> TaggedInput { TaggedInput(bytes: bytes, place: place, depth: depth + 1) }

    func decoder(_ codingPath: [any CodingKey], _ key: some CodingKey) throws(RecordProblem) -> TaggedDecoder {
        guard depth <= FieldNumber.maximumDepth + 1 else { throw RecordProblem("records are nested too deep") }
        return TaggedDecoder(input: self, codingPath: codingPath + [key])
    }

    // MARK: Values

    func decode<Value: Decodable>(_ type: Value.Type, _ path: [any CodingKey], _ key: some CodingKey) throws -> Value {
        if let value = try decodeIfKnown(type, path, key) { return value }
        if let (bytes, place) = blank {
            let value = try TaggedInput(bytes: bytes, place: place, depth: depth).decodeIfKnown(type, path, key)
            if let value { return value }
        }
        if let cases = type as? any CaseIterable.Type, let first = cases.anyFirst as? Value { return first }
        throw BookError.schemaMismatch(
            "The field “\(key.stringValue)” has no value of its type \(type); make the type `CaseIterable`, and its first case stands there."
        )
    }

    /// `nil` for a raw value that the type has no case for.
    func decodeIfKnown<Value: Decodable>(
        _ type: Value.Type, _ path: [any CodingKey], _ key: some CodingKey
    ) throws -> Value? {
        // As in encoding: to find out whether the library knows a type costs more than to decode it.
        if Value.self == Money.self { return try decode(Money.self) as? Value }
        if Value.self == Day.self { return try decode(Day.self) as? Value }
        if let scalar = type as? any TaggedScalar.Type { return try decode(scalar) as? Value }
        let decoder = try decoder(path, key)
        do {
            return try Value(from: decoder)
        } catch DecodingError.dataCorrupted(_)
            where isMissing || type is any RawRepresentable.Type || type is any CaseIterable.Type
        {
            return nil
        }
    }

    func decode<Scalar: TaggedScalar>(_ type: Scalar.Type) throws(RecordProblem) -> Scalar {
        switch place {
        case .missing: Scalar.zero
        case .number(let number): try Scalar(.number(number))
        case .bytes(let range): try Scalar(.bytes(Array(bytes[range])))
        }
    }
}

extension CaseIterable {
    /// The first case, where the type is not known.
    static var anyFirst: Any? { allCases.first }
}

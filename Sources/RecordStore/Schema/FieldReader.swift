import StorageEngine

/// Reads one field of the records of a kind from their bytes.
///
/// Safe to share because what its closure holds is types, paths without captures, and what a record has in the field: records are
/// `Sendable`.
final class FieldReader<Field>: @unchecked Sendable {
    typealias Content = (_ record: RecordBytes, _ id: UInt64) throws -> Field

    /// - Throws: `RecordProblem` or `LibraryError` when the record, or what it has in the field, cannot be read.
    let content: Content

    init(_ content: @escaping Content) { self.content = content }

    static func reader<Value: Record>(
        of path: KeyPath<Value, Field> & Sendable
    ) -> FieldReader where Field: Decodable {
        let kind = RecordKind<Value>.current
        let whole = FieldReader { record, id in try kind.decode(record, id: ID(rawValue: id))[keyPath: path] }
        guard kind.upgrades.isEmpty, let tag = kind.tag(of: path) else { return whole }
        if let reader = plainReader(tag, whole) as? FieldReader { return reader }
        let blank = kind.blankPlace(ofTag: tag)
        // Once: a key path tells its name by printing itself.
        let key = PlainKey(stringValue: path.propertyName ?? "")
        return FieldReader { record, id in
            let place = try TaggedWalk.place(ofTag: tag, in: record)
            guard !place.isMissing else { return try whole.content(record, id) }
            let input = TaggedInput(bytes: record.bytes, place: place, blank: blank)
            return try input.decode(Field.self, [], key)
        }
    }

    /// Of a value that is one field by itself: a reader of the field's own type; `nil` for others.
    ///
    /// - Parameter whole: reads it from the whole record, where the field is absent.
    private static func plainReader(_ tag: UInt32, _ whole: FieldReader) -> AnyObject? {
        if let optional = Field.self as? any OptionalField.Type {
            if let scalar = optional.wrapped as? any TaggedScalar.Type {
                return scalar.optionalReader(tag, try? whole.content(RecordBytes([]), 0))
            }
            return (optional.wrapped as? any Decodable.Type).flatMap { optionalReader($0, tag, whole) }
        }
        if let scalar = Field.self as? any TaggedScalar.Type { return scalar.reader(tag, orElse: whole) }
        return (Field.self as? any (CaseIterable & RawRepresentable).Type).flatMap { reader($0, tag, whole) }
    }

    private static func optionalReader<Wrapped: Decodable>(
        _ type: Wrapped.Type, _ tag: UInt32, _ whole: FieldReader
    ) -> AnyObject? {
        guard let whole = whole as? FieldReader<Wrapped?> else { return nil }
        // Of a type that decodes itself there may be one all the same.
        let missing = (try? whole.content(RecordBytes([]), 0)) ?? nil
        return FieldReader<Wrapped?> { record, _ in
            let place = try TaggedWalk.place(ofTag: tag, in: record)
            guard !place.isMissing else { return missing }
            let input = TaggedInput(bytes: record.bytes, place: place)
            return try input.decodeIfKnown(Wrapped.self, [], PlainKey(stringValue: ""))
        }
    }

    private static func reader<Case: CaseIterable & RawRepresentable>(
        _ type: Case.Type, _ tag: UInt32, _ whole: FieldReader
    ) -> AnyObject? {
        // A type may write names in place of its raw values.
        guard let first = type.firstCase, first.written == first.rawValue,
            let rawValue = (Case.RawValue.self as? any TaggedScalar.Type)?.optionalReader(tag, nil)
                as? FieldReader<Case.RawValue?>,
            let whole = whole as? FieldReader<Case>
        else { return nil }
        return FieldReader<Case> { record, id in
            // The whole record says what stands for a raw value that cannot be read.
            try (try? rawValue.content(record, id)).flatMap(Case.init) ?? whole.content(record, id)
        }
    }
}

extension TaggedScalar {
    static func reader(_ tag: UInt32, orElse whole: AnyObject) -> AnyObject? {
        guard let whole = whole as? FieldReader<Self> else { return nil }
        return FieldReader<Self> { record, id in try value(ofTag: tag, in: record) ?? whole.content(record, id) }
    }

    static func optionalReader(_ tag: UInt32, _ missing: Any?) -> AnyObject {
        let missing = missing.flatMap { $0 as? Self }
        return FieldReader<Self?> { record, _ in try value(ofTag: tag, in: record) ?? missing }
    }

    /// What a record has in a field; `nil` when it lacks it.
    private static func value(ofTag tag: UInt32, in record: RecordBytes) throws(RecordProblem) -> Self? {
        switch try TaggedWalk.place(ofTag: tag, in: record) {
        case .missing: nil
        case .number(let number): try Self(.number(number))
        case .bytes(let range): try decoded(record.bytes[range])
        }
    }
}

/// What a decoder reads: a place within the bytes of a record, and the same place within the blank record, for the fields that
/// the record lacks.
struct TaggedInput {
    var bytes: [UInt8]
    var place: TaggedPlace
    var blank: (bytes: [UInt8], place: TaggedPlace)?
    var depth = 0

    /// The record's key, in place of its field: its tag and the identifier. Of the outermost record.
    var identifier: (tag: UInt32, value: UInt64)?

    var isMissing: Bool { place.isMissing }

    /// A value that is none of a record's is none of its fields.
    func fields() throws(RecordProblem) -> InputFields { try InputFields(self) }

    /// `nil` for what is not there.
    fileprivate static func fields(_ bytes: [UInt8], _ place: TaggedPlace) throws(RecordProblem) -> TaggedFields? {
        switch place {
        case .missing: return nil
        case .bytes(let range): return TaggedFields(bytes, range)
        case .number: throw RecordProblem("a field is a number where fields are expected")
        }
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
        throw LibraryError.schemaMismatch(
            "The field “\(key.stringValue)” has no value of its type \(type); make the type `CaseIterable`, and its first case stands there."
        )
    }

    /// `nil` for a raw value that the type has no case for.
    func decodeIfKnown<Value: Decodable>(
        _ type: Value.Type, _ path: [any CodingKey], _ key: some CodingKey
    ) throws -> Value? {
        // As in encoding: to find out whether the library knows a type costs more than to decode it.
        if Value.self == Money.self { return Self.same(try decode(Money.self), as: Value.self) }
        if Value.self == Day.self { return Self.same(try decode(Day.self), as: Value.self) }
        if let scalar = type as? any TaggedScalar.Type { return try decode(scalar) as? Value }
        let decoder = try decoder(path, key)
        do {
            return try Value(from: decoder)
        } catch DecodingError.dataCorrupted(_)
            where isMissing || type is any RawRepresentable.Type || type is any CaseIterable.Type
        {
            return nil
        } catch DecodingError.typeMismatch(let found, _) where found == type {
            // So says an enumeration whose cases have values, of a case that it does not have.
            return nil
        } catch let problem as RecordProblem where problem.misfit != nil {
            // It has no case for a raw value that its own type has no room for. A type that is not made of cases, such as a set of options, would lose
            // what it cannot hold.
            guard !(type is any CaseIterable.Type) else { return nil }
            throw problem.of(field: key.stringValue)
        }
    }

    func decode<Scalar: TaggedScalar>(_ type: Scalar.Type) throws(RecordProblem) -> Scalar {
        try Scalar(at: place, in: bytes)
    }

    /// A value as one of the type that it is of, which is found out before.
    static func same<One, Other>(_ value: One, as type: Other.Type) -> Other {
        precondition(One.self == Other.self, "the types are one")
        // Safe because they are: a cast would find that out again, at the cost of the decoding.
        return unsafe unsafeBitCast(value, to: type)
    }
}

extension CaseIterable {
    /// The first case, where the type is not known.
    static var anyFirst: Any? { allCases.first }
}

extension TaggedScalar {
    /// What a field holds; zero where it is missing.
    init(at place: TaggedPlace, in bytes: [UInt8]) throws(RecordProblem) {
        switch place {
        case .missing: self = Self.zero
        case .number(let number): self = try Self(.number(number))
        case .bytes(let range): self = try Self.decoded(bytes[range])
        }
    }
}

/// The fields of a record that is read, and those of the blank one for what it lacks.
///
/// A reference: the library's containers are copied for every field that is asked for.
final class InputFields {
    private let input: TaggedInput
    private var primary: TaggedFields?
    /// Walked when a field is missing, which few are.
    private var blank: TaggedFields?
    private var blankIsKnown = false

    init(_ input: TaggedInput) throws(RecordProblem) {
        self.input = input
        primary = try TaggedInput.fields(input.bytes, input.place)
    }

    func allNames() throws(RecordProblem) -> [String] { try primary?.allNames() ?? [] }

    func allTags() throws(RecordProblem) -> [UInt32] { try primary?.allTags() ?? [] }

    /// - Parameter usingBlank: whether it is that of the blank record where this one lacks it.
    func field(_ key: some CodingKey, usingBlank: Bool) throws -> TaggedInput {
        var field = TaggedInput(bytes: input.bytes, place: .missing, depth: input.depth + 1)
        let tag = try Self.tag(of: key)
        field.place = try place(tag, key.stringValue)
        if let identifier = input.identifier, tag == identifier.tag { return field }
        if let blank = input.blank, usingBlank {
            let place = try blankPlace(tag, key.stringValue)
            if field.isMissing {
                field.bytes = blank.bytes
                field.place = place
            } else if !place.isMissing {
                field.blank = (blank.bytes, place)
            }
        }
        return field
    }

    // MARK: Values that are one field

    // By tag, so that nothing here is generic over the type of the keys: it would be looked up for every field.

    /// `nil` for a field that is not there. The blank record is not asked.
    func scalarIfPresent<Scalar: TaggedScalar>(
        _ type: Scalar.Type, _ tag: UInt32?, _ name: @autoclosure () -> String
    ) throws(RecordProblem) -> Scalar? {
        let place = try place(tag, name())
        return place.isMissing ? nil : try read(type, place, input.bytes, name())
    }

    /// That of the blank record where this one lacks it.
    func scalar<Scalar: TaggedScalar>(
        _ type: Scalar.Type, _ tag: UInt32?, _ name: @autoclosure () -> String
    ) throws(RecordProblem) -> Scalar {
        // Not by the optional: a type that is generic itself would be looked up for every field.
        let place = try place(tag, name())
        guard place.isMissing, let blank = input.blank else { return try read(type, place, input.bytes, name()) }
        return try read(type, try blankPlace(tag, name()), blank.bytes, name())
    }

    @inline(__always) private func read<Scalar: TaggedScalar>(
        _ type: Scalar.Type, _ place: TaggedPlace, _ bytes: [UInt8], _ name: @autoclosure () -> String
    ) throws(RecordProblem) -> Scalar {
        do throws(RecordProblem) {
            return try Scalar(at: place, in: bytes)
        } catch {
            throw error.of(field: name())
        }
    }

    /// The same where two names of a type are one.
    func scalarIfPresent<Scalar: TaggedScalar, Value>(
        _ type: Scalar.Type, as same: Value.Type, _ tag: UInt32?, _ name: @autoclosure () -> String
    ) throws(RecordProblem) -> Value? {
        try scalarIfPresent(type, tag, name()).map { TaggedInput.same($0, as: same) }
    }

    func scalar<Scalar: TaggedScalar, Value>(
        _ type: Scalar.Type, as same: Value.Type, _ tag: UInt32?, _ name: @autoclosure () -> String
    ) throws(RecordProblem) -> Value {
        TaggedInput.same(try scalar(type, tag, name()), as: same)
    }

    // MARK: Places

    /// `nil` for a key that is a name.
    static func tag(of key: some CodingKey) throws(LibraryError) -> UInt32? {
        try FieldNumber.number(of: key).map { (number) throws(LibraryError) in try FieldNumber.checkedTag(number) }
    }

    private func place(_ tag: UInt32?, _ name: @autoclosure () -> String) throws(RecordProblem) -> TaggedPlace {
        if let identifier = input.identifier, tag == identifier.tag { return .number(identifier.value) }
        guard let tag else { return try primary?.place(named: name()) ?? .missing }
        return try primary?.place(ofTag: tag) ?? .missing
    }

    private func blankPlace(_ tag: UInt32?, _ name: @autoclosure () -> String) throws(RecordProblem) -> TaggedPlace {
        if !blankIsKnown, let (bytes, place) = input.blank { blank = try TaggedInput.fields(bytes, place) }
        blankIsKnown = true
        guard let tag else { return try blank?.place(named: name()) ?? .missing }
        return try blank?.place(ofTag: tag) ?? .missing
    }
}

import StorageEngine

/// The fields of a kind as a library keeps them beside its records: their numbers, names and types, of all versions of the app that wrote
/// there. By them records can be shown and taken in without the type; and a number that another field has had is refused before anything is
/// read or written under it.
///
/// `Formats/LIBRARY.md` has the bytes.
struct KindFields: Equatable, Sendable {
    /// Ascending by number, and then those that are stored by their names.
    private(set) var fields: [FieldDescription] = []

    init(_ fields: [FieldDescription] = []) { self.fields = fields.sorted(by: FieldDescription.precedes) }

    func field(numbered number: Int) -> FieldDescription? { fields.first { $0.number == number } }

    func field(named name: String) -> FieldDescription? { fields.first { $0.name == name } }
}

extension KindFields {
    /// What a type says of fields that were others before; see `RecordRename` and `RecordRetype`.
    struct Revisions: Sendable {
        var renamed: [(number: Int, former: String)] = []
        var retyped: Set<Int> = []
    }

    /// These and those that a type declares, as they are to be stored. A field that the type does not declare stays, another version of the
    /// app may; where the type gives its name to another it goes by its number.
    ///
    /// - Parameters:
    ///   - declared: those of the type.
    ///   - revisions: what the type says of fields that were others before.
    ///   - kind: the name of the kind, for people.
    /// - Throws: `LibraryError.schemaMismatch` where a number has been that of another field.
    func joined(with declared: KindFields, _ revisions: Revisions, kind: String) throws(LibraryError) -> KindFields {
        var joined = fields
        for field in declared.fields {
            guard let index = joined.firstIndex(where: field.isField) else {
                joined.append(field)
                continue
            }
            let stored = joined[index]
            let isRetyped = field.number.map(revisions.retyped.contains) ?? false
            guard let type = isRetyped ? field.type : stored.type.joined(with: field.type) else {
                throw Self.refusal(of: field, as: stored, kind)
            }
            if stored.name != field.name, !stored.name.isEmpty,
                !revisions.renamed.contains(where: { $0.number == field.number && $0.former == stored.name }),
                let moved = declared.field(named: stored.name), !isKnown(moved)
            {
                throw Self.refusal(of: field, as: stored, movedTo: moved, kind)
            }
            joined[index] = FieldDescription(number: field.number, name: field.name, type: type)
        }
        return KindFields(joined.named(as: declared.fields))
    }

    private func isKnown(_ field: FieldDescription) -> Bool {
        field.number.flatMap { self.field(numbered: $0) }?.name == field.name
    }

    private static func refusal(
        of field: FieldDescription, as stored: FieldDescription, _ kind: String
    ) -> LibraryError {
        let number = field.number ?? 0
        guard stored.name != field.name else {
            return .schemaMismatch(
                "“\(field.name)”, field \(number) of \(kind), is \(stored.type) in this library, and \(field.type) here. What is stored would "
                    + "mean something else: give the new field a name and a number of its own and convert with migrate(_:), or declare "
                    + "Retyped(\\.\(field.name)) where its type reads both.")
        }
        return .schemaMismatch(
            "Field \(number) of \(kind) is “\(stored.name)” in this library, \(stored.type), and “\(field.name)” here, \(field.type). "
                + "A number stays with its field: write the numbers of the coding keys out, and give “\(field.name)” a new one."
        )
    }

    private static func refusal(
        of field: FieldDescription, as stored: FieldDescription, movedTo moved: FieldDescription, _ kind: String
    ) -> LibraryError {
        let (number, new) = (field.number ?? 0, moved.number ?? 0)
        return .schemaMismatch(
            "“\(stored.name)” of \(kind) is field \(number) in this library and field \(new) here, where “\(field.name)” is field "
                + "\(number). Numbers stay with their fields: write them out in the coding keys, and give what is new a new one. If "
                + "“\(field.name)” is what was called “\(stored.name)”, declare Renamed(\\.\(field.name), from: \"\(stored.name)\")."
        )
    }
}

// MARK: - Bytes

extension KindFields {
    private enum Tag {
        /// Of a kind, and of a field that has others within.
        static let field: UInt32 = 4
        /// Of a field; the number and one more.
        static let number: UInt32 = 1
        static let name: UInt32 = 2
        static let type: UInt32 = 3
    }

    func encoded() -> [UInt8] { Self.bytes(of: fields) }

    private static func bytes(of fields: [FieldDescription]) -> [UInt8] {
        var writer = RecordWriter()
        for field in fields { writer.write(Tag.field, bytes(of: field)) }
        return writer.finish()
    }

    private static func bytes(of field: FieldDescription) -> [UInt8] {
        var writer = RecordWriter()
        writer.number(Tag.number, field.number.map { UInt64($0) + 1 } ?? 0)
        writer.text(Tag.name, field.name)
        writer.number(Tag.type, UInt64(field.type.code.rawValue))
        for inner in field.type.inner { writer.write(Tag.field, bytes(of: inner)) }
        return writer.finish()
    }

    /// More than any type has; they are looked through for each field of a record.
    private static let maximumCount = 4096

    /// - Throws: `RecordProblem` for bytes that are none.
    init(decoding bytes: [UInt8]) throws(RecordProblem) {
        var fields: [FieldDescription] = []
        var walk = TaggedWalk(bytes, 0..<bytes.count)
        while let (tag, place) = try walk.next() {
            // A later version may say more.
            guard tag == Tag.field else { continue }
            guard case .bytes(let range) = place else { throw RecordProblem("a field of a kind is a number") }
            let field = try Self.field(bytes, range, depth: 1)
            guard fields.last.map({ FieldDescription.precedes($0, field) && !$0.isField(field) }) ?? true else {
                throw RecordProblem("the fields of a kind are out of order")
            }
            guard fields.count < Self.maximumCount else { throw RecordProblem("a kind has too many fields") }
            fields.append(field)
        }
        self.init(fields)
    }

    private static func field(
        _ bytes: [UInt8], _ range: Range<Int>, depth: Int
    ) throws(RecordProblem) -> FieldDescription {
        guard depth <= FieldNumber.maximumDepth else { throw RecordProblem("fields are nested too deep") }
        var (number, code, name) = (UInt64(0), UInt64(0), "")
        var inner: [FieldDescription] = []
        var walk = TaggedWalk(bytes, range)
        while let (tag, place) = try walk.next() {
            switch (tag, place) {
            case (Tag.number, .number(let value)): number = value
            case (Tag.name, .bytes(let range)): name = String(decoding: bytes[range], as: UTF8.self)
            case (Tag.type, .number(let value)): code = value
            case (Tag.field, .bytes(let range)): inner.append(try field(bytes, range, depth: depth + 1))
            case (Tag.number...Tag.field, _): throw RecordProblem("a field of a kind is not as it is written")
            default: break
            }
        }
        guard number <= UInt64(FieldNumber.range.upperBound) + 1 else {
            throw RecordProblem("a field has no such number")
        }
        // A type that a later version knows is one of which nothing is known here.
        let known = UInt8(exactly: code).flatMap(FieldType.Code.init)
        guard let type = known == nil ? .unknown : known.flatMap({ FieldType($0, inner) }) else {
            throw RecordProblem("what is within a field does not fit its type")
        }
        return FieldDescription(number: number == 0 ? nil : Int(number - 1), name: name, type: type)
    }
}

extension TreeReadable where Self: ~Copyable {
    /// The fields of a kind as the library has them; none of one that was written before they were kept, and where they cannot be read: the
    /// records can be all the same.
    func storedFields(of kind: [UInt8]) -> KindFields {
        let bytes = try? stored(kind, in: LibraryTree.appFields) { $0.copyBytes(0..<$0.byteCount) }
        return (bytes ?? nil).flatMap { try? KindFields(decoding: $0) } ?? KindFields()
    }
}

/// A record as the library has it: a field is read when it is asked for, and the others are left alone.
///
/// ```swift
/// let statement = try snapshot.list(Transfer.self, "statement")
/// let lines = try statement.page(limit: 50) { try "\($0.date) \($0.amount) \($0.note)" }
/// let large = try snapshot.records(Transfer.self).where { try $0.amount < -500 && $0.note.isEmpty }
/// ```
///
/// Numbers, texts, flags, days, moments, identifiers and cases with raw values, and optionals of them, are read where they lie: for a
/// list this is some ten times as fast as making whole records. A field of another type is decoded by itself; a computed property, and
/// any of a type with `upgrades`, costs a whole record. What is read is what is stored, as in orders, sums and links: of a type that
/// stores a field as something else, by a `Codable` of its own, read `record` instead.
@dynamicMemberLookup public struct RecordRow<Value: Record>: Identifiable, Sendable {
    public let id: RecordStore.ID<Value>
    private let bytes: RecordBytes
    private let fields: KnownFields

    init(_ id: RecordStore.ID<Value>, _ bytes: RecordBytes, _ fields: KnownFields) {
        self.id = id
        self.bytes = bytes
        self.fields = fields
    }

    /// Lends the bytes of the record.
    func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
        bytes.bytes.withBytes { body($0.extracting(bytes.range)) }
    }

    /// What the record has in a field.
    ///
    /// - Throws: `LibraryError.damaged` when it cannot be read, `.schemaMismatch` when it is a number that the field's type has no room for.
    public subscript<Field: Decodable>(dynamicMember path: KeyPath<Value, Field> & Sendable) -> Field {
        get throws(LibraryError) {
            do {
                return try fields.reader(of: path).content(bytes, id.rawValue)
            } catch let error as LibraryError {
                throw error
            } catch let problem as RecordProblem {
                throw .unreadable("\(Value.recordName) \(id)", problem.of(field: path.propertyName))
            } catch {
                throw .damagedRecord("\(Value.recordName) \(id)", "\(error)")
            }
        }
    }

    /// Whether a condition holds; not for a record that cannot be read.
    ///
    /// - Throws: what the condition throws else, as `LibraryError.invalidArgument` where it is no error of the library's.
    func holds(_ condition: (RecordRow) throws -> Bool) throws(LibraryError) -> Bool {
        do {
            return try condition(self)
        } catch LibraryError.damaged {
            return false
        } catch let error as LibraryError {
            throw error
        } catch {
            throw .invalidArgument("The condition failed for \(Value.recordName) \(id): \(error)")
        }
    }

    /// All of it.
    ///
    /// - Throws: `LibraryError.damaged` when it cannot be read.
    public var record: Value {
        get throws(LibraryError) { try RecordKind<Value>.current.decode(bytes, id: id) }
    }
}

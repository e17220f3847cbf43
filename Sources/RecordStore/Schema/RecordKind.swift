import StorageEngine

/// What a library needs to know of a type of app records, worked out once.
///
/// A reference: every read and write of a record asks for it, and a copy of its parts would count the references to a dozen.
final class RecordKind<Value: Record>: Sendable {
    let schema: KindSchema
    /// Whether the name is that of the type, and none that it has chosen.
    let hasNameOfType: Bool
    /// That its records are written as.
    let version: Int
    /// That of its highest upgrade, as which its orders have them.
    let upgradedVersion: Int
    let upgrades: [Upgrade<Value>]
    let declared: DeclaredIndexes
    let links: [DeclaredLink]
    /// Fields that are links no longer.
    let endedLinks: [LinkField]

    /// The fields that the type reads, with their names and types.
    let described: KindFields
    /// As they are stored where no other version of the app has written.
    let describedBytes: [UInt8]
    let fieldRevisions: KindFields.Revisions

    /// A record of which nothing was written, as bytes; `nil` when it cannot be read or stored. Without the fields of types that only their own coding
    /// knows: what such a type writes may be other bytes in each process, and orders are told by this.
    let empty: [UInt8]?

    /// Of the coding key of the identifier, which is kept outside the fields.
    private let identifierNumber: Int?
    private let identifierTag: UInt32?
    /// Whether no field is of a type that only its own coding knows: what is read of those may be something else than what was written.
    private let isWhollyKnown: Bool
    private let blank: [UInt8]?

    var name: String { schema.name }
    var nameBytes: [UInt8] { schema.nameBytes }
    var tree: TreeNumber { schema.tree }
    var orders: [DeclaredOrder] { schema.orders }
    var fields: KnownFields.Origin { schema.fields }
    var uniqueKeys: [(order: DeclaredOrder, key: UniqueKey<Value>)] { declared.uniqueKeys }
    var computedValues: [OrderDeclaration.ComputedField: ComputedValue] { declared.computedValues }

    static var current: RecordKind<Value> {
        let type = ObjectIdentifier(Value.self)
        if let kind = RecordKinds.kinds.withLock({ $0[type] }) as? RecordKind<Value> { return kind }
        // Outside the lock: what the app declares is the app's code.
        let kind = RecordKind<Value>()
        RecordKinds.kinds.withLock { $0[type] = kind }
        return kind
    }

    private init() {
        let name = Value.recordName
        hasNameOfType = name == String(describing: Value.self)
        upgrades = Value.upgrades.sorted { $0.version < $1.version }
        upgradedVersion = upgrades.last?.version ?? 1
        version = max(Value.recordVersion, upgradedVersion)
        identifierNumber = Value.CodingKeys(stringValue: "id").map(\.rawValue).flatMap {
            FieldNumber.range.contains($0) ? $0 : nil
        }
        identifierTag = identifierNumber.map(FieldNumber.tag)
        blank = Self.blankRecord()
        endedLinks = Value.schema.endedLinks.compactMap(\.field)
        let input = Self.emptyInput(identifierTag, blank)
        let ownNumber = identifierNumber
        described = KindFields(
            FieldProbe.fields(of: Value.self, reading: input).filter { ownNumber == nil || $0.number != ownNumber })
        describedBytes = described.encoded()
        let unknownTags = described.fields.filter { !$0.type.isWhollyKnown }.compactMap(\.number).map(FieldNumber.tag)
        isWhollyKnown = unknownTags.isEmpty
        empty = Self.emptyRecord(input).flatMap { try? RecordMerge.leavingOut(Set(unknownTags), of: $0) }
        let number = { (path: PartialKeyPath<Value>) in
            path.propertyName.flatMap { Value.CodingKeys(stringValue: $0)?.rawValue }
        }
        fieldRevisions = KindFields.Revisions(
            renamed: Value.schema.renames.compactMap { rename in number(rename.path).map { ($0, rename.former) } },
            retyped: Set(Value.schema.retypes.compactMap { number($0.path) }))
        var (links, orders, declared): ([DeclaredLink], [DeclaredOrder], DeclaredIndexes) = ([], [], DeclaredIndexes())
        var objection: LibraryError?
        do throws(LibraryError) {
            guard AppRecordKey.isName(name) else {
                throw .schemaMismatch("The name of a record has 1 to 64 bytes, none of them zero: “\(name)” does not.")
            }
            guard ownNumber != nil else {
                throw .schemaMismatch(
                    "The CodingKeys of \(name) have no “id”, so its records would have no identifiers when they are read. Add `case id` with a "
                        + "number of its own, 0 to \(FieldNumber.range.upperBound).")
            }
            declared = try Self.declaredIndexes(name, empty, version: upgradedVersion)
            links = try Self.declaredLinks(name)
            orders = try Self.declaredOrders(name, empty, links, beside: declared.orders, version: upgradedVersion)
        } catch {
            (links, orders, declared) = ([], [], DeclaredIndexes())
            objection = error
        }
        self.declared = declared
        self.links = links
        schema = KindSchema(name, orders: orders, sums: Self.sumTags(), objection: objection)
    }

    /// What of the blank record is the same whenever it is asked for, as bytes; `nil` when it cannot be stored.
    private static func blankRecord() -> [UInt8]? { steadyBytes { try TaggedEncoder.encode(Value.blank) } }

    /// A record of which nothing was written.
    private static func emptyInput(_ identifierTag: UInt32?, _ blank: [UInt8]?) -> TaggedInput {
        var input = TaggedInput(bytes: [], place: .bytes(0..<0))
        input.blank = blank.map { ($0, .bytes(0..<$0.count)) }
        input.identifier = identifierTag.map { ($0, 0) }
        return input
    }

    /// What is read of it, as bytes, without what is another whenever it is written; `nil` when that cannot be read or stored.
    private static func emptyRecord(_ input: TaggedInput) -> [UInt8]? {
        guard let value = try? Value(from: TaggedDecoder(input: input, codingPath: [])) else { return nil }
        return steadyBytes { try TaggedEncoder.encode(value) }
    }

    /// What is the same both times that a record is written; `nil` when it cannot be stored.
    private static func steadyBytes(_ write: () throws -> [UInt8]) -> [UInt8]? {
        guard let first = try? write(), let second = try? write() else { return nil }
        return first == second ? first : try? RecordMerge.common(first, second)
    }

    static func emptyRecord() -> [UInt8]? { emptyRecord(emptyInput(nil, blankRecord())) }

    /// - Throws: `LibraryError.schemaMismatch` when records of the type cannot be stored.
    func check() throws(LibraryError) { try schema.check() }

    /// The fields that a library has of the kind, and those of the type, as they are to be stored. Of a kind without records there is nothing
    /// that the type could misread, and its fields take the place of those that the library has.
    ///
    /// - Returns: also whether they are those of both.
    /// - Throws: `LibraryError.schemaMismatch` where a number has been that of another field.
    func joinedFields(
        in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> (fields: KindFields, areJoined: Bool) {
        do throws(LibraryError) {
            return (try trees.storedFields(of: nameBytes).joined(with: described, fieldRevisions, kind: name), true)
        } catch {
            guard try positions(in: trees).isEmpty else { throw error }
            return (described, false)
        }
    }

    // MARK: Bytes

    /// - Throws: `LibraryError.invalidValue` for a record that cannot be stored, or not be read as it was written.
    func encode(_ record: Value) throws(LibraryError) -> [UInt8] {
        let fields = try fields(of: record)
        if !isWhollyKnown { try requireReadable(record, as: fields) }
        return withVersion(fields)
    }

    private func withVersion(_ fields: [UInt8]) -> [UInt8] {
        guard version > 1 else { return fields }
        var writer = RecordWriter()
        writer.write(FieldNumber.versionTag, number: UInt64(version))
        return writer.finish() + fields
    }

    private func fields(of record: Value, _ marks: TaggedNode.Marks? = nil) throws(LibraryError) -> [UInt8] {
        let node = TaggedNode(without: identifierNumber, marks: marks)
        do {
            try record.encode(to: TaggedEncoder(node: node, codingPath: []))
        } catch let error as LibraryError {
            throw error
        } catch {
            throw .invalidValue("A \(name) could not be encoded: \(error)")
        }
        return try node.encoded()
    }

    /// A field says not of which type its value is. A type that tries one after the other may read what it did not write, and one that writes nothing for a
    /// value reads what stands where nothing was written.
    private func requireReadable(_ record: Value, as bytes: [UInt8]) throws(LibraryError) {
        let read: Value
        do throws(LibraryError) {
            read = try decode(bytes, id: record.id, isUpgraded: false)
        } catch {
            throw .invalidValue("A \(name) could be written, and not be read again: \(error.sentence)")
        }
        guard try fields(of: record, .types) != fields(of: read, .types) else { return }
        let (one, two) = (try fields(of: record, .typesInAnyOrder), try fields(of: read, .typesInAnyOrder))
        var differing = Self.differingTags(one, two)
        // What a type writes otherwise each time, such as what it seals, says nothing of what was read. By chance it may write the same twice.
        for _ in 1..<Self.comparisonCount where !differing.isEmpty {
            let other = Self.differingTags(one, try fields(of: record, .typesInAnyOrder))
            differing.subtract(other.union(Self.differingTags(two, try fields(of: read, .typesInAnyOrder))))
        }
        guard !differing.isEmpty else { return }
        let field = described.fields.first { $0.number.map { differing.contains(FieldNumber.tag($0)) } ?? false }
        throw .invalidValue(
            "\(field.map { "The field “\($0.name)”" } ?? "Something") of \(name) would be read as another value than it was written "
                + "as. Let its type write each of its values under a key of its own, as Swift does, or make it optional where it may have none."
        )
    }

    /// So often what a type writes is looked at before it is said to be of another value.
    private static var comparisonCount: Int { 8 }

    /// The fields that two records have not alike.
    private static func differingTags(_ one: [UInt8], _ two: [UInt8]) -> Set<UInt32> {
        guard one != two, let one = try? RecordMerge.fields(of: one), let two = try? RecordMerge.fields(of: two) else {
            return []
        }
        return Set(one.keys).union(two.keys).filter { one[$0] != two[$0] }
    }

    /// The record that the bytes under an identifier are.
    ///
    /// - Parameter isUpgraded: whether a record of an earlier version is brought up to this one.
    /// - Throws: `LibraryError.damaged` for bytes that are no such record, `.schemaMismatch` when a field has no value, or one that its type has no
    ///   room for.
    func decode(_ bytes: [UInt8], id: ID<Value>, isUpgraded: Bool = true) throws(LibraryError) -> Value {
        try decode(RecordBytes(bytes), id: id, isUpgraded: isUpgraded)
    }

    func decode(_ record: RecordBytes, id: ID<Value>, isUpgraded: Bool = true) throws(LibraryError) -> Value {
        var input = TaggedInput(bytes: record.bytes, place: .bytes(record.range))
        input.blank = blank.map { ($0, .bytes(0..<$0.count)) }
        input.identifier = identifierTag.map { ($0, id.rawValue) }
        do {
            var value = try Value(from: TaggedDecoder(input: input, codingPath: []))
            guard isUpgraded, !upgrades.isEmpty else { return value }
            let written = try Self.version(of: Array(record.bytes[record.range]))
            for upgrade in upgrades where upgrade.version > written { upgrade.change(&value) }
            return value
        } catch let error as LibraryError {
            throw error
        } catch let problem as RecordProblem {
            throw .unreadable("\(name) \(id)", problem)
        } catch {
            throw .damagedRecord("\(name) \(id)", "\(error)")
        }
    }

    /// The record as it is to be stored in place of another, with what this version does not know of that one.
    func encode(_ record: Value, replacing stored: [UInt8]) throws(LibraryError) -> [UInt8] {
        let new = try encode(record)
        let read = withVersion(try fields(of: try decode(stored, id: record.id, isUpgraded: false)))
        do throws(RecordProblem) {
            let merged = try RecordMerge.merged(new, read: read, stored: stored)
            return try Self.settingVersion(max(version, try Self.version(of: stored)), in: merged)
        } catch {
            throw .damagedRecord("\(name) \(record.id)", error.description)
        }
    }

    /// `nil` for a property that is not stored by itself.
    func tag(of path: PartialKeyPath<Value>) -> UInt32? {
        guard let name = path.propertyName, name != "id", let number = Value.CodingKeys(stringValue: name)?.rawValue,
            FieldNumber.range.contains(number)
        else { return nil }
        return FieldNumber.tag(number)
    }

    /// Whether a record of which nothing was written has what an order was made by, in the fields that the type knows: code may go by any of them.
    func hasDefaults(of declaration: OrderDeclaration) -> Bool {
        guard declaration.blank != empty else { return true }
        guard let stored = try? RecordMerge.fields(of: declaration.blank),
            let own = try? RecordMerge.fields(of: empty ?? [])
        else { return false }
        return stored.allSatisfy { tag, bytes in
            own[tag] == bytes || !described.fields.contains { $0.number.map(FieldNumber.tag) == tag }
        }
    }

    /// Where a field lies in the blank record.
    func blankPlace(ofTag tag: UInt32) -> (bytes: [UInt8], place: TaggedPlace)? {
        guard let blank, let place = try? TaggedWalk.place(ofTag: tag, in: blank), !place.isMissing else { return nil }
        return (blank, place)
    }

    /// Where the records lie in their tree.
    func positions(in trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) -> Range<Int> {
        try schema.positions(in: trees)
    }

    /// Visits all records that can be read.
    func forEachRecord(
        in trees: borrowing some TreeReadable & ~Copyable, _ body: (Value) throws(LibraryError) -> Void
    ) throws(LibraryError) {
        try trees.forEachRecord(ofKind: name) { (id, bytes) throws(LibraryError) in
            if let record = try? decode(bytes, id: ID(rawValue: id)) { try body(record) }
        }
    }

    /// Those of a condition, by identifier. A record that cannot be read is left out.
    func identifiers(
        where condition: (RecordRow<Value>) throws -> Bool,
        in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> [ID<Value>] {
        var found: [ID<Value>] = []
        var positions = try positions(in: trees)
        while case let page = try schema.nextRows(at: &positions, in: trees), page.count > 0 {
            for index in 0..<page.count {
                let row: RecordRow<Value> = page.row(index)
                if try row.holds(condition) { found.append(row.id) }
            }
        }
        return found
    }

    func conflict(_ unique: UniqueKey<Value>, _ holder: ID<Value>) -> LibraryError {
        .notUnique(kind: name, fields: unique.fieldNames, identifier: holder.rawValue)
    }

    static func version(of bytes: [UInt8]) throws(RecordProblem) -> Int {
        var walk = TaggedWalk(bytes, 0..<bytes.count)
        guard let first = try walk.next(), first.tag == FieldNumber.versionTag, case .number(let version) = first.place
        else { return 1 }
        return Int(clamping: version)
    }

    private static func settingVersion(_ version: Int, in bytes: [UInt8]) throws(RecordProblem) -> [UInt8] {
        var walk = TaggedWalk(bytes, 0..<bytes.count)
        let isThere = try walk.next()?.tag == FieldNumber.versionTag
        var writer = RecordWriter()
        if version > 1 { writer.write(FieldNumber.versionTag, number: UInt64(version)) }
        return writer.finish() + bytes.dropFirst(isThere ? walk.byteOffset : 0)
    }
}

/// The kinds met so far, by their type: as many as the app has.
private enum RecordKinds {
    static let kinds = Lock<[ObjectIdentifier: any Sendable]>([:])
}

extension TreeReadable where Self: ~Copyable {
    func appRecord<Value: Record>(_ id: ID<Value>, _ kind: RecordKind<Value>) throws(LibraryError) -> Value? {
        guard let bytes = try recordBytes(id.rawValue, in: kind.tree) else { return nil }
        return try kind.decode(bytes, id: id)
    }

    /// The first keys that begin with a prefix, behind `key`.
    func keys(
        of tree: TreeNumber, prefix: [UInt8], after key: [UInt8]?, limit: Int
    ) throws(LibraryError) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        try translatingErrors {
            try scan(tree, prefix: prefix, after: key) { key, _ in
                keys.append(key.copyBytes(0..<key.byteCount))
                return keys.count < limit
            }
        }
        return keys
    }
}

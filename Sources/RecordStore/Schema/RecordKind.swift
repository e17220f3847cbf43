import StorageEngine

/// What a library needs to know of a type of app records, worked out once.
///
/// A reference: every read and write of a record asks for it, and a copy of its parts would count the references to a dozen.
final class RecordKind<Value: Record>: Sendable {
    let schema: KindSchema
    /// Whether the name is that of the type, and none that it has chosen.
    let hasNameOfType: Bool
    let version: Int
    let upgrades: [Upgrade<Value>]
    let indexes: [(name: String, index: RecordIndex<Value>)]
    let uniqueKeys: [(name: String, key: UniqueKey<Value>)]
    let links: [DeclaredLink]
    /// Fields that are links no longer.
    let endedLinks: [LinkField]

    /// The fields that the type reads, with their names and types.
    let described: KindFields
    /// As they are stored where no other version of the app has written.
    let describedBytes: [UInt8]
    let fieldRevisions: KindFields.Revisions

    /// Whether a record has entries in the tree of indexes. Kept, since to ask generic lists costs as much as an entry of one.
    let hasIndexes: Bool
    let hasUniqueKeys: Bool

    /// What the indexes stored under the name must have been made by.
    let stamp: [UInt8]

    /// A record of which nothing was written, as bytes; `nil` when it cannot be read or stored.
    let empty: [UInt8]?

    /// Of the coding key of the identifier, which is kept outside the fields.
    private let identifierNumber: Int?
    private let identifierTag: UInt32?
    private let blank: [UInt8]?

    var name: String { schema.name }
    var nameBytes: [UInt8] { schema.nameBytes }
    var tree: TreeNumber { schema.tree }
    var orders: [DeclaredOrder] { schema.orders }
    var fields: KnownFields.Origin { schema.fields }

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
        version = upgrades.last?.version ?? 1
        indexes = Value.indexes.enumerated().map { ($1.name(at: $0), $1) }
        uniqueKeys = Value.uniqueKeys.enumerated().map { ($1.name(at: $0), $1) }
        hasUniqueKeys = !uniqueKeys.isEmpty
        hasIndexes = hasUniqueKeys || !indexes.isEmpty
        identifierNumber = Value.CodingKeys(stringValue: "id").map(\.rawValue).flatMap {
            FieldNumber.range.contains($0) ? $0 : nil
        }
        identifierTag = identifierNumber.map(FieldNumber.tag)
        blank = Self.blankRecord()
        endedLinks = Value.schema.endedLinks.compactMap(\.field)
        let input = Self.emptyInput(identifierTag, blank)
        empty = Self.emptyRecord(input)
        let ownNumber = identifierNumber
        described = KindFields(
            FieldProbe.fields(of: Value.self, reading: input).filter { ownNumber == nil || $0.number != ownNumber })
        describedBytes = described.encoded()
        let number = { (path: PartialKeyPath<Value>) in
            path.propertyName.flatMap { Value.CodingKeys(stringValue: $0)?.rawValue }
        }
        fieldRevisions = KindFields.Revisions(
            renamed: Value.schema.renames.compactMap { rename in number(rename.path).map { ($0, rename.former) } },
            retyped: Set(Value.schema.retypes.compactMap { number($0.path) }))
        let stamps =
            Value.indexes.enumerated().map { $1.stamp(at: $0) }
            + Value.uniqueKeys.enumerated().map { $1.stamp(at: $0) }
        let blankStamp = stamps.isEmpty ? [] : [Self.blankStamp(empty ?? [])]
        stamp = Array((["\(version)"] + stamps + blankStamp).joined(separator: " ").utf8)
        var objection = Self.objection(to: name, indexes.map(\.name), uniqueKeys)
        let (links, orders): ([DeclaredLink], [DeclaredOrder])
        do throws(LibraryError) {
            let declared = try Self.declaredLinks(name)
            (links, orders) = (declared, try Self.declaredOrders(name, empty, declared))
        } catch {
            (links, orders) = ([], [])
            objection = objection ?? error
        }
        self.links = links
        schema = KindSchema(name, orders: orders, sums: Self.sumTags(), objection: objection)
    }

    /// What of the blank record is the same whenever it is asked for, as bytes; `nil` when it cannot be stored.
    private static func blankRecord() -> [UInt8]? {
        guard let first = try? TaggedEncoder.encode(Value.blank), let second = try? TaggedEncoder.encode(Value.blank)
        else { return nil }
        return first == second ? first : try? RecordMerge.common(first, second)
    }

    /// A record of which nothing was written.
    private static func emptyInput(_ identifierTag: UInt32?, _ blank: [UInt8]?) -> TaggedInput {
        var input = TaggedInput(bytes: [], place: .bytes(0..<0))
        input.blank = blank.map { ($0, .bytes(0..<$0.count)) }
        input.identifier = identifierTag.map { ($0, 0) }
        return input
    }

    /// What is read of it, as bytes; `nil` when that cannot be read or stored.
    private static func emptyRecord(_ input: TaggedInput) -> [UInt8]? {
        (try? Value(from: TaggedDecoder(input: input, codingPath: []))).flatMap { try? TaggedEncoder.encode($0) }
    }

    static func emptyRecord() -> [UInt8]? { emptyRecord(emptyInput(nil, blankRecord())) }

    /// Tells what the indexes take for what was never written from anything else that they would take.
    private static func blankStamp(_ empty: [UInt8]) -> String {
        let paths = Value.indexes.map(\.path) + Value.uniqueKeys.flatMap(\.paths)
        let tags = paths.map { try? tag(of: $0.propertyName, "") }
        let fields = (try? RecordMerge.fields(of: empty)) ?? [:]
        var bytes = Set(tags.compactMap { $0 }).sorted().flatMap { fields[$0] ?? [] }
        // A computed property may be of all fields; a set is written in another order each time.
        if tags.contains(nil) { bytes += empty.sorted() }
        return "blank:" + String(CRC32C.checksum(bytes), radix: 16)
    }

    private static func objection(
        to name: String, _ indexes: [String], _ uniqueKeys: [(name: String, key: UniqueKey<Value>)]
    ) -> LibraryError? {
        // All records would have the same key.
        guard uniqueKeys.allSatisfy({ $0.key.hasFields }) else {
            return .schemaMismatch("A unique key of \(name) names no field. Name one at least.")
        }
        let uniqueNames = uniqueKeys.map(\.name)
        if let index = indexes.first(where: { $0.hasPrefix("=") }) {
            return .schemaMismatch("The index “\(index)” of \(name) begins with the sign of unique keys.")
        }
        guard Set(uniqueNames).count == uniqueNames.count else {
            return .schemaMismatch("Two unique keys of \(name) have the same name. Give one of them another.")
        }
        for name in [name] + indexes + uniqueNames
        where !AppRecordKey.nameByteCount.contains(name.utf8.count) || name.utf8.contains(LibraryKey.separator) {
            return .schemaMismatch(
                "The name of a record or of an index has 1 to 64 bytes, none of them zero: “\(name)” does not.")
        }
        return Set(indexes).count == indexes.count
            ? nil : .schemaMismatch("Two indexes of \(name) have the same name. Give one of them another.")
    }

    /// - Throws: `LibraryError.schemaMismatch` when records of the type cannot be stored.
    func check() throws(LibraryError) { try schema.check() }

    /// The fields that a library has of the kind, and those of the type, as they are to be stored. Of a kind without records there is nothing
    /// that the type could misread.
    ///
    /// - Throws: `LibraryError.schemaMismatch` where a number has been that of another field.
    func joinedFields(in trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) -> KindFields {
        do throws(LibraryError) {
            return try trees.storedFields(of: nameBytes).joined(with: described, fieldRevisions, kind: name)
        } catch {
            guard try positions(in: trees).isEmpty else { throw error }
            return described
        }
    }

    // MARK: Bytes

    /// - Throws: `LibraryError.invalidValue` for a record that cannot be stored.
    func encode(_ record: Value) throws(LibraryError) -> [UInt8] {
        let encoder = TaggedEncoder(node: TaggedNode(without: identifierNumber), codingPath: [])
        do {
            try record.encode(to: encoder)
        } catch let error as LibraryError {
            throw error
        } catch {
            throw .invalidValue("A \(name) could not be encoded: \(error)")
        }
        let fields = try encoder.node.encoded()
        guard version > 1 else { return fields }
        var writer = RecordWriter()
        writer.write(FieldNumber.versionTag, number: UInt64(version))
        return writer.finish() + fields
    }

    /// The record that the bytes under an identifier are.
    ///
    /// - Parameter isUpgraded: whether a record of an earlier version is brought up to this one.
    /// - Throws: `LibraryError.damaged` for bytes that are no such record, `.schemaMismatch` when a field has no value.
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
            throw .damagedRecord("\(name) \(id)", problem.description)
        } catch {
            throw .damagedRecord("\(name) \(id)", "\(error)")
        }
    }

    /// The record as it is to be stored in place of another, with what this version does not know of that one.
    func encode(_ record: Value, replacing stored: [UInt8]) throws(LibraryError) -> [UInt8] {
        let new = try encode(record)
        let read = try encode(try decode(stored, id: record.id, isUpgraded: false))
        do throws(RecordProblem) {
            let merged = try RecordMerge.merged(new, read: read, stored: stored)
            return try Self.settingVersion(max(version, try Self.version(of: stored)), in: merged)
        } catch {
            throw .damagedRecord("\(name) \(record.id)", error.description)
        }
    }

    /// The keys that the indexes have for a record.
    func entryKeys(of record: Value, id: ID<Value>) throws(LibraryError) -> [[UInt8]] {
        guard hasIndexes else { return [] }
        var keys: [[UInt8]] = []
        for (name, index) in indexes {
            keys.append(AppRecordKey.entry(nameBytes, index: name, try index.orderedValue(record), id.rawValue))
        }
        for (name, key) in uniqueKeys {
            guard let value = try key.value(record) else { continue }
            keys.append(AppRecordKey.entry(nameBytes, index: name, value, id.rawValue))
        }
        return keys
    }

    /// `nil` for a property that is not stored by itself.
    func tag(of path: PartialKeyPath<Value>) -> UInt32? {
        guard let name = path.propertyName, name != "id", let number = Value.CodingKeys(stringValue: name)?.rawValue,
            FieldNumber.range.contains(number)
        else { return nil }
        return FieldNumber.tag(number)
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

    func index(of field: PartialKeyPath<Value>) -> (name: String, index: RecordIndex<Value>)? {
        indexes.first { ($0.index.path as PartialKeyPath<Value>) == field }
    }

    /// A unique key of this field alone.
    func uniqueKey(of field: PartialKeyPath<Value>) -> (name: String, key: UniqueKey<Value>)? {
        uniqueKeys.first { $0.key.onlyField?.path == field }
    }

    func conflict(_ unique: UniqueKey<Value>, _ holder: ID<Value>) -> LibraryError {
        .notUnique(kind: name, fields: unique.fieldNames, identifier: holder.rawValue)
    }

    private static func version(of bytes: [UInt8]) throws(RecordProblem) -> Int {
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

    /// Whether the indexes of a kind are those its type declares.
    func hasIndexes<Value: Record>(of kind: RecordKind<Value>) throws(LibraryError) -> Bool {
        let key = AppRecordKey.prefix(kind.nameBytes)
        return try stored(key, in: LibraryTree.appIndexes) { $0.copyBytes(0..<$0.byteCount) } == kind.stamp
    }

    /// The positions of the keys from `start` up to `end`, which is not among them.
    func positions(of tree: TreeNumber, from start: [UInt8], to end: [UInt8]) throws(LibraryError) -> Range<Int> {
        let lower = try position(of: start, in: tree, facet: nil)
        return lower..<max(lower, try position(of: end, in: tree, facet: nil))
    }

    /// A record that has the value for a unique key; the one with the lowest identifier where there are several. The indexes of the kind
    /// are up to date.
    func holder<Value: Record>(
        of value: OrderedValue, _ unique: (name: String, key: UniqueKey<Value>), _ kind: RecordKind<Value>,
        besides other: ID<Value>?
    ) throws(LibraryError) -> ID<Value>? {
        try holders(of: value, unique, kind).first { $0 != other }
    }

    /// All that have it: one, but for those from before it was unique.
    func holders<Value: Record>(
        of value: OrderedValue, _ unique: (name: String, key: UniqueKey<Value>), _ kind: RecordKind<Value>
    ) throws(LibraryError) -> [ID<Value>] {
        var holders: [ID<Value>] = []
        let prefix = AppRecordKey.prefix(kind.nameBytes, index: unique.name) + value.key
        var last: [UInt8]?
        while true {
            let keys = try keys(of: LibraryTree.appIndexes, prefix: prefix, after: last, limit: 64)
            guard let end = keys.last else { return holders }
            last = end
            for key in keys where key.count == prefix.count + 8 {
                let id = ID<Value>(rawValue: key.number(at: prefix.count))
                if value.isCut {
                    guard let record = try appRecord(id, kind), try unique.key.value(record) == value else { continue }
                }
                holders.append(id)
            }
        }
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

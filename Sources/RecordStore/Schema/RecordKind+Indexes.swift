import Filing
import StorageEngine

/// The orders that indexes and unique keys are: each by its fields alone, without the facets and the home of the kind.
extension RecordKind {
    typealias ComputedValue = @Sendable (Value) throws(LibraryError) -> OrderedValue

    /// What a type declares by its indexes and unique keys.
    struct DeclaredIndexes {
        fileprivate(set) var indexes: [(order: DeclaredOrder, index: RecordIndex<Value>)] = []
        fileprivate(set) var uniqueKeys: [(order: DeclaredOrder, key: UniqueKey<Value>)] = []
        fileprivate(set) var computedValues: [OrderDeclaration.ComputedField: ComputedValue] = [:]
        fileprivate var computedPaths: [OrderDeclaration.ComputedField: PartialKeyPath<Value> & Sendable] = [:]

        var orders: [DeclaredOrder] { indexes.map(\.order) + uniqueKeys.map(\.order) }
    }

    /// - Throws: `LibraryError.schemaMismatch` for one that cannot be, with its name and what to write instead.
    static func declaredIndexes(
        _ kind: String, _ empty: [UInt8]?, version: Int
    ) throws(LibraryError) -> DeclaredIndexes {
        var declared = DeclaredIndexes()
        for index in Value.indexes {
            guard let name = index.name else {
                throw .schemaMismatch(
                    "An index of \(kind) is by a property that is computed and has no name. Give it one, and a version to raise when it comes to "
                        + "compute something else: Index(\\.initials, name: \"initials\", version: 1).")
            }
            try check(name, "an index", kind)
            var order = OrderDeclaration()
            let field = IndexedField(
                path: index.path, name: name, version: index.version, kind: index.kind, isFolded: false,
                value: index.orderedValue)
            order.components = [try component(of: field, isRequired: false, &declared, kind)]
            declared.indexes.append(
                (
                    try finished(order, name, [index.valueType], kind, empty, version), index
                ))
        }
        for key in Value.uniqueKeys {
            // All records would have the same key.
            guard key.hasFields else {
                throw .schemaMismatch("A unique key of \(kind) names no field. Name one at least.")
            }
            guard let fields = key.indexedFields else {
                throw .schemaMismatch(
                    "A unique key of \(kind) is by a property that is computed and has no name. Give it one, and a version to raise when it comes to "
                        + "compute something else: Unique(\\.initials, name: \"initials\", version: 1).")
            }
            try check(key.orderName, "a unique key", kind)
            var order = OrderDeclaration()
            for field in fields {
                order.components.append(try component(of: field, isRequired: true, &declared, kind))
            }
            order.isUnique = true
            if order.components.contains(where: { $0.collation == .folded }) {
                order.foldingVersion = Int(TitleKey.ruleVersion)
            }
            declared.uniqueKeys.append(
                (
                    try finished(order, key.orderName, key.valueTypes, kind, empty, version), key
                ))
        }
        return declared
    }

    private static func check(_ name: String, _ words: String, _ kind: String) throws(LibraryError) {
        guard AppRecordKey.isName(name) else {
            throw .schemaMismatch(
                "The name of \(words) has 1 to 64 bytes, none of them zero: “\(name)” of \(kind) does not. Give it another as `name:`."
            )
        }
    }

    private static func finished(
        _ order: OrderDeclaration, _ name: String, _ types: [ValueType], _ kind: String, _ empty: [UInt8]?,
        _ version: Int
    ) throws(LibraryError) -> DeclaredOrder {
        var order = order
        order.recordVersion = version
        do throws(RecordProblem) {
            try order.setBlank(from: empty ?? [])
        } catch {
            throw .schemaMismatch("An empty \(kind) cannot be read: \(error.description).")
        }
        return DeclaredOrder(kind, name: name, declaration: order, types: types)
    }

    /// A stored field is told by its number; what is computed, and what is stored in a way that only its type knows, by name.
    ///
    /// - Parameter isRequired: whether records without the value are left out.
    private static func component(
        of field: IndexedField<Value>, isRequired: Bool,
        _ declared: inout DeclaredIndexes, _ record: String
    ) throws(LibraryError) -> OrderDeclaration.Component {
        guard let tag = try? tag(of: field.path.propertyName, ""), let (kind, isOptional) = field.kind else {
            let computed = OrderDeclaration.ComputedField(
                name: field.isFolded ? OrderDeclaration.ComputedField.foldedName(field.name) : field.name,
                version: UInt32(clamping: field.version))
            // What is worked out is known by its name alone, in all that the library keeps.
            guard (declared.computedPaths[computed] ?? field.path) == field.path else {
                throw .schemaMismatch(
                    "Two properties of \(record) are worked out as “\(field.name)”, version \(field.version). Give one of them another name."
                )
            }
            declared.computedPaths[computed] = field.path
            declared.computedValues[computed] = field.value
            return OrderDeclaration.Component(
                tag: 0, kind: .bytes, isOptional: true, isDescending: false, isAbsentFirst: false,
                occurrence: isRequired ? .present : .always, computed: computed)
        }
        return component(
            tag, kind, isOptional, field.isFolded && kind == .text ? .folded : .written,
            isRequired && isOptional ? .present : .always)
    }

    private static func component(
        _ tag: UInt32, _ kind: FieldKind, _ isOptional: Bool, _ collation: Collation = .written,
        _ occurrence: OrderDeclaration.Occurrence = .always
    ) -> OrderDeclaration.Component {
        OrderDeclaration.Component(
            tag: tag, kind: kind, isOptional: isOptional, isDescending: false, isAbsentFirst: false,
            collation: collation, isBeginning: kind == .text || kind == .bytes, occurrence: occurrence)
    }

    /// What an index of a field would be by; `nil` for what is computed, and for what is stored in a way that only its type knows.
    static func indexedComponent(_ path: PartialKeyPath<Value>, _ type: Any.Type) -> OrderDeclaration.Component? {
        guard let (kind, isOptional) = FieldKind.of(type), let tag = try? tag(of: path.propertyName, "") else {
            return nil
        }
        return component(tag, kind, isOptional)
    }

    /// What an index has of a record, whole: what is stored, and of a record of an earlier version what the upgrades make of that.
    func indexedValue(
        _ component: OrderDeclaration.Component, of bytes: [UInt8], _ id: ID<Value>
    ) throws(RecordProblem) -> OrderedValue {
        let isOld = upgrades.isEmpty ? false : try Self.version(of: bytes) < upgradedVersion
        let fields = try RecordFields(isOld ? try upgraded(bytes, id: id.rawValue) : bytes)
        var source = FieldSource(fields, blank: empty ?? [])
        let value = try source.value(component.tag, component.isOptional)
        return OrderedValue(bytes: try component.bytes(value, textByteCount: .max))
    }

    /// The order of an index of a field.
    func index(of field: PartialKeyPath<Value>) -> DeclaredOrder? {
        declared.indexes.first { ($0.index.path as PartialKeyPath<Value>) == field }?.order
    }

    /// The order of a unique key of this field alone.
    func uniqueKey(of field: PartialKeyPath<Value>) -> (order: DeclaredOrder, isFolded: Bool)? {
        guard let found = declared.uniqueKeys.first(where: { $0.key.onlyField?.path == field }) else { return nil }
        return (found.order, found.key.onlyField?.isFolded ?? false)
    }
}

/// A field of an index or a unique key.
struct IndexedField<Value: Record> {
    let path: PartialKeyPath<Value> & Sendable
    let name: String
    let version: Int
    let kind: (kind: FieldKind, isOptional: Bool)?
    let isFolded: Bool
    let value: @Sendable (Value) throws(LibraryError) -> OrderedValue
}

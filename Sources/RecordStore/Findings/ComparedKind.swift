import StorageEngine

/// Records that lie in a tree, as a comparison needs to know them.
package struct ComparedKind: Sendable {
    let name: String

    let tree: TreeNumber

    /// The facet of its records, where the tree has others, too.
    let facet: Facet?

    /// The record of a key; `nil` for a key of another kind.
    let identifier: @Sendable (_ key: [UInt8]) -> UInt64?

    /// Whether a record is there.
    let isThere: @Sendable (Version, UInt64) throws(StorageError) -> Bool

    /// Whether keys have more than a record's own identifier: then it may change its place.
    let mayMove: Bool

    /// Identifier ‖ part → what belongs to a record and lies in another tree, and the last bytes of the parts.
    let parts: (tree: TreeNumber, kinds: Set<UInt8>)?

    let fields: FieldReading

    /// What a record says: its fields in their order, each as JSON. None when it is not there.
    typealias FieldReading = @Sendable (Snapshot, UInt64) throws(LibraryError) -> [(name: String, json: String)]

    let label: @Sendable (Snapshot, UInt64) throws(LibraryError) -> String?

    /// Where records lie whose keys have more than their own identifier.
    package struct Home: Sendable {
        let tree: TreeNumber
        let facet: Facet
        let identifier: @Sendable (_ key: [UInt8]) -> UInt64?

        package init(
            _ tree: TreeNumber, _ facet: Facet, identifier: @escaping @Sendable (_ key: [UInt8]) -> UInt64?
        ) {
            (self.tree, self.facet, self.identifier) = (tree, facet, identifier)
        }
    }

    /// A kind that a library keeps beside declared records.
    ///
    /// - Parameters:
    ///   - home: where records lie that a tree of their identifiers only leads to.
    ///   - line: a record as an export has it.
    ///   - label: what people call one.
    package init(
        _ kind: BuiltInKind, home: Home? = nil, parts: (tree: TreeNumber, kinds: Set<UInt8>)? = nil,
        line: @escaping @Sendable (Snapshot, UInt64) throws(LibraryError) -> String?,
        label: @escaping @Sendable (Snapshot, UInt64) throws(LibraryError) -> String?
    ) {
        name = kind.name
        tree = home?.tree ?? kind.tree
        facet = home?.facet ?? kind.share?.facet
        let identifier: @Sendable ([UInt8]) -> UInt64? = { kind.identifier(ofKey: $0) }
        self.identifier = home?.identifier ?? identifier
        isThere = { (version: Version, id: UInt64) throws(StorageError) -> Bool in
            try version.contains(kind.key(id), in: kind.tree)
        }
        mayMove = home != nil
        self.parts = parts
        fields = { (snapshot, id) throws(LibraryError) in
            guard let line = try line(snapshot, id), case .object(let members)? = try? JSONReader.value(of: line) else {
                return []
            }
            return members.filter { $0.name != "type" && $0.name != "id" }.map { ($0.name, $0.value.json) }
        }
        self.label = label
    }

    /// A declared kind.
    ///
    /// - Parameter described: the fields of both libraries.
    init(_ kind: TreeDeclaration, _ described: KindFields) {
        name = kind.name
        tree = kind.number
        facet = nil
        identifier = { (key: [UInt8]) -> UInt64? in key.count == 8 ? key.number(at: 0) : nil }
        isThere = { (version: Version, id: UInt64) throws(StorageError) -> Bool in
            try version.value(forKey: id, in: kind.number) { _ in true } ?? false
        }
        mayMove = false
        parts = nil
        fields = { (snapshot, id) throws(LibraryError) in
            guard let bytes = try snapshot.version.recordBytes(id, in: kind.number) else { return [] }
            if let problem = TaggedWalk.problem(in: bytes) {
                throw .damagedRecord("\(kind.name) \(ID<AppRecord>(rawValue: id))", problem.description)
            }
            let (version, rest) = RecordVersion.split(bytes)
            return (version.map { [("#version", "\($0)")] } ?? []) + FieldType.members(of: rest, described.fields)
        }
        label = { (_, _) throws(LibraryError) in nil }
    }
}

extension JSONValue {
    /// As text.
    fileprivate var json: String {
        switch self {
        case .null: "null"
        case .flag(let isSet): "\(isSet)"
        case .number(let digits): digits
        case .text(let text): JSONWriter.quoted(text)
        case .array(let elements): "[" + elements.map(\.json).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { JSONWriter.quoted($0.name) + ":" + $0.value.json }.joined(separator: ",") + "}"
        }
    }
}

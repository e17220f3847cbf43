import StorageEngine

/// Records that lie in a tree, as a comparison needs to know them.
package struct ComparedKind: Sendable {
    let name: String

    /// Keys end with the identifier.
    let tree: TreeNumber

    /// A tree of identifiers, where a key has more than its own: a record may change its place.
    let identifiers: TreeNumber?

    /// Identifier ‖ part → what belongs to a record and lies in another tree, and the last bytes of the parts.
    let parts: (tree: TreeNumber, kinds: Set<UInt8>)?

    let fields: FieldReading

    /// What a record says: its fields in their order, each as JSON. None when it is not there.
    typealias FieldReading = @Sendable (Snapshot, UInt64) throws(LibraryError) -> [(name: String, json: String)]

    let label: @Sendable (Snapshot, UInt64) throws(LibraryError) -> String?

    /// A kind that a library keeps beside declared records.
    ///
    /// - Parameters:
    ///   - line: a record as an export has it.
    ///   - label: what people call one.
    package init(
        _ kind: BuiltInKind, in tree: TreeNumber, parts: (tree: TreeNumber, kinds: Set<UInt8>)? = nil,
        line: @escaping @Sendable (Snapshot, UInt64) throws(LibraryError) -> String?,
        label: @escaping @Sendable (Snapshot, UInt64) throws(LibraryError) -> String?
    ) {
        name = kind.name
        self.tree = tree
        identifiers = kind.tree == tree ? nil : kind.tree
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
        identifiers = nil
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

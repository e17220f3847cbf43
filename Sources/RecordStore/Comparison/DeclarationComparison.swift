import StorageEngine

/// What two libraries say of their records, compared: kinds, the names and types of their fields, their orders and links, and the filing.
struct DeclarationComparison {
    let first: Snapshot
    let second: Snapshot

    /// O(k log n) for k kinds and orders of both; no record is read.
    func differences() throws(LibraryError) -> [DeclarationDifference] {
        var differences: [DeclarationDifference] = []
        let filing = (try LibraryMeta.filing(first.version), try LibraryMeta.filing(second.version))
        if filing.0 != filing.1 {
            differences.append(
                DeclarationDifference(
                    kind: nil, part: .library, name: "filing", first: "\(filing.0)", second: "\(filing.1)"))
        }
        for (own, other) in try kinds() {
            let name = own?.name ?? other?.name ?? ""
            guard let own, let other, own.name == other.name else {
                differences.append(
                    DeclarationDifference(
                        kind: name, part: .kind, name: name, first: own.map(Self.words), second: other.map(Self.words)))
                continue
            }
            func add(_ part: DeclarationDifference.Part, _ one: [Declared], _ two: [Declared]) {
                differences += Self.differing(one, two).map { name, first, second in
                    DeclarationDifference(kind: own.name, part: part, name: name, first: first, second: second)
                }
            }
            add(.field, own.described.fields.map(Declared.init), other.described.fields.map(Declared.init))
            add(.order, Self.orders(of: own), Self.orders(of: other))
            add(.link, Self.links(of: own), Self.links(of: other))
        }
        return differences
    }

    /// Those of either library, each with the other's that has the same tree.
    private func kinds() throws(LibraryError) -> [(StoredKind?, StoredKind?)] {
        let (own, others) = (try first.kinds, try second.kinds)
        let both = own.map { kind in (Optional(kind), others.first { $0.tree == kind.tree }) }
        return both + others.filter { kind in !own.contains { $0.tree == kind.tree } }.map { (nil, Optional($0)) }
    }

    private static func words(_ kind: StoredKind) -> String {
        "“\(kind.name)”, \(kind.count) \(kind.count == 1 ? "record" : "records")"
    }

    private static func orders(of kind: StoredKind) -> [Declared] {
        zip(kind.orders, kind.stored).map { Declared($0, $1.declaration) }
    }

    private static func links(of kind: StoredKind) -> [Declared] {
        zip(kind.links, kind.storedLinks).map(Declared.init)
    }

    /// What is not in both, by name. Orders of one name stand beside each other, so what is in both goes first.
    private static func differing(
        _ first: [Declared], _ second: [Declared]
    ) -> [(name: String, first: String?, second: String?)] {
        let own = first.filter { one in !second.contains { $0.isSame(as: one) } }
        var others = second.filter { one in !first.contains { $0.isSame(as: one) } }
        var differences: [(name: String, first: String?, second: String?)] = own.map { one in
            guard let index = others.firstIndex(where: { $0.name.hasSameBytes(as: one.name) }) else {
                return (one.name, one.words, nil)
            }
            let other = others.remove(at: index)
            let isToldApart = !one.words.hasSameBytes(as: other.words)
            return (one.name, one.words, other.words + (isToldApart ? "" : ", in another way"))
        }
        differences += others.map { ($0.name, nil, $0.words) }
        return differences
    }
}

/// Something that a library says of a kind.
private struct Declared {
    /// By which it is looked for in the other library.
    let name: String
    /// For people: they need not say all.
    let words: String
    private let meaning: Meaning

    private enum Meaning: Equatable {
        case field(FieldDescription)
        case order(
            [OrderDeclaration.Stand], tail: [OrderDeclaration.Component], [OrderDeclaration.Facet], isUnique: Bool)
        case link(LinkField, target: [UInt8])
    }

    /// A field goes by its number, which stays when it is renamed.
    init(_ field: FieldDescription) {
        name = field.number.map { "\($0)" } ?? field.name
        words = "“\(field.name)”, \(field.type.wordsWithFields)"
        meaning = .field(field)
    }

    init(_ order: StoredKind.Order, _ declaration: OrderDeclaration) {
        var words = "by \(order.words)"
        if !order.sums.isEmpty { words += "; sums of \(order.sums.joined(separator: ", "))" }
        if !order.facets.isEmpty { words += "; counts of \(order.facets.joined(separator: ", "))" }
        (name, self.words) = (order.name, words)
        meaning = .order(
            declaration.stands, tail: declaration.tail, declaration.facets, isUnique: declaration.isUnique)
    }

    /// Whether what it names is there is said of the records.
    init(_ link: StoredKind.Link, _ stored: StoredLink) {
        (name, words) = (link.field, "to \(link.target), \(link.onDelete)")
        meaning = .link(stored.field, target: stored.target.key)
    }

    func isSame(as other: Declared) -> Bool {
        meaning == other.meaning && name.hasSameBytes(as: other.name) && words.hasSameBytes(as: other.words)
    }
}

extension FieldType {
    /// As in “home, a value with fields: 1 “street”, a text”.
    fileprivate var wordsWithFields: String {
        guard !inner.isEmpty else { return description }
        let fields = inner.map { field in
            (field.number.map { "\($0) " } ?? "") + "“\(field.name)”, \(field.type.wordsWithFields)"
        }
        return "\(description): \(fields.joined(separator: "; "))"
    }
}

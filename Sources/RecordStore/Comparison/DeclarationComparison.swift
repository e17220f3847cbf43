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
            func add(_ part: DeclarationDifference.Part, _ one: [(String, String)], _ two: [(String, String)]) {
                differences += Self.differing(one, two).map { name, first, second in
                    DeclarationDifference(kind: own.name, part: part, name: name, first: first, second: second)
                }
            }
            add(.field, own.described.fields.map(Self.words), other.described.fields.map(Self.words))
            add(.order, own.orders.map(Self.words), other.orders.map(Self.words))
            add(.link, own.links.map(Self.words), other.links.map(Self.words))
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

    /// A field goes by its number, which stays when it is renamed.
    private static func words(_ field: FieldDescription) -> (String, String) {
        (field.number.map { "\($0)" } ?? field.name, "“\(field.name)”, \(field.type)")
    }

    private static func words(_ order: StoredKind.Order) -> (String, String) {
        var words = "by \(order.words)"
        if !order.sums.isEmpty { words += "; sums of \(order.sums.joined(separator: ", "))" }
        if !order.facets.isEmpty { words += "; counts of \(order.facets.joined(separator: ", "))" }
        return (order.name, words)
    }

    private static func words(_ link: StoredKind.Link) -> (String, String) {
        (link.field, "to \(link.target), \(link.onDelete)")
    }

    /// What is not in both, by name. Orders of one name stand beside each other, so what is in both goes first.
    private static func differing(
        _ first: [(String, String)], _ second: [(String, String)]
    ) -> [(name: String, first: String?, second: String?)] {
        let own = first.filter { one in !second.contains { $0 == one } }
        var others = second.filter { one in !first.contains { $0 == one } }
        var differences: [(name: String, first: String?, second: String?)] = own.map { name, words in
            let index = others.firstIndex { $0.0 == name }
            return (name, words, index.map { others.remove(at: $0).1 })
        }
        differences += others.map { ($0.0, nil, $0.1) }
        return differences
    }
}

import Filing
import StorageEngine

/// Stretches by the bytes that their keys begin with: what a list follows an order by from one snapshot to the next.
extension OrderStretch {
    /// An order of which nothing is known but its declaration, in a library that files letters so.
    init(declared name: String, _ kind: KindSchema, _ tailoring: FilingTailoring) throws(LibraryError) {
        let declared = try kind.order(named: name)
        self.init(
            kind,
            StoredOrder(
                name: name, tree: LibraryTree.firstOrder, declaration: declared.declaration.filed(by: tailoring)),
            declared.types, positions: 0..<0)
    }

    /// All records of a type, by identifier.
    init(byIdentifier kind: KindSchema, in trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) {
        self.init(
            kind,
            StoredOrder(name: "by identifier", tree: kind.tree, declaration: OrderDeclaration()), [],
            positions: try kind.positions(in: trees))
    }

    /// The same with one more fixed component, without looking where it lies.
    func declaring(_ value: some Encodable) throws(LibraryError) -> OrderStretch {
        let prefix = prefix + (try bytes(of: value, try nextComponent()))
        return with(prefix: prefix, fixedCount: fixedCount + 1, positions)
    }

    /// The part of a whole order whose keys begin with the components that another stretch has fixed.
    func part(
        like stretch: (prefix: [UInt8], fixedCount: Int), in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> OrderStretch {
        guard stretch.fixedCount > 0 else { return self }
        let found = try trees.positions(
            of: order.tree, from: stretch.prefix, to: AppRecordKey.end(of: stretch.prefix))
        return with(prefix: stretch.prefix, fixedCount: stretch.fixedCount, found)
    }

    /// The entries of a record in the order, with its identifier, ascending; `nil` for one that the order does not take.
    func entries(
        of id: UInt64, _ record: [UInt8], in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> [OrderEntry]? {
        guard order.tree != kind.tree else {
            return [OrderEntry(order: 0, key: .bigEndian(id), value: [], facets: 0)]
        }
        let found = try order.entries(of: record, (kind.name, id), in: trees)
        return try? found.get()
    }

    /// The row that an entry has, one that the order holds; `nil` when it is no row of the stretch. One descent.
    func row(of entry: OrderEntry, in trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) -> Int? {
        guard entry.key.starts(with: prefix) else { return nil }
        if let facet, !FacetSet(rawValue: entry.facets).contains(facet) { return nil }
        let position = try trees.position(of: entry.key, in: order.tree, facet: facet)
        return positions.contains(position) ? position - positions.lowerBound : nil
    }

    /// The first row of a record that is shown, as it is shown; `nil` for one that is not there or that the order does not take. A descent of the
    /// records, and one for each entry that is looked at.
    func firstRow(
        of id: UInt64, in trees: borrowing some TreeReadable & ~Copyable, shown: (Int) -> Int? = { $0 }
    ) throws(LibraryError) -> Int? {
        guard let bytes = try trees.recordBytes(id, in: kind.tree), let entries = try entries(of: id, bytes, in: trees)
        else { return nil }
        for entry in entries {
            if let row = try row(of: entry, in: trees).flatMap(shown) { return row }
        }
        return nil
    }
}

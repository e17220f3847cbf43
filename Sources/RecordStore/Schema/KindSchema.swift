import StorageEngine

/// What a kind of records is, apart from its type: its name, its tree and its orders. Lists go by this, so that nothing in them is generic over
/// the type of the records: code that is looks its types up at run time, a third of what a balance took.
///
/// A reference, as a copy of its parts would count the references to a dozen.
final class KindSchema: Sendable {
    let name: String
    let nameBytes: [UInt8]
    /// Of the records.
    let tree: TreeNumber
    let orders: [DeclaredOrder]
    /// Of its rows.
    let fields = KnownFields.Origin()
    private let sums: [SummedTag]
    /// Why such records cannot be stored.
    private let objection: LibraryError?

    init(_ name: String, orders: [DeclaredOrder], sums: [SummedTag], objection: LibraryError?) {
        self.name = name
        nameBytes = Array(name.utf8)
        tree = KindTree.number(of: nameBytes)
        (self.orders, self.sums, self.objection) = (orders, sums, objection)
    }

    /// - Throws: `LibraryError.schemaMismatch` when records of the type cannot be stored.
    func check() throws(LibraryError) {
        if let objection { throw objection }
    }

    /// Where the records lie in their tree.
    func positions(in trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) -> Range<Int> {
        0..<(try trees.count(of: tree))
    }

    /// - Throws: `LibraryError.schemaMismatch` for a name that the type does not declare, and for a type that cannot be stored.
    func order(named name: String) throws(LibraryError) -> DeclaredOrder {
        try check()
        guard let declared = orders.first(where: { $0.name == name }) else {
            let names = orders.map { "“\($0.name)”" }.joined(separator: ", ")
            throw .schemaMismatch(
                "\(self.name) has no order “\(name)”; "
                    + (names.isEmpty ? "it declares none." : "its orders are \(names)."))
        }
        return declared
    }

    /// The place among the facets of one that has a name.
    func facet(named name: String) throws(LibraryError) -> Facet {
        let facets = orders.first?.declaration.facets ?? []
        guard let index = facets.firstIndex(where: { $0.name == name }) else {
            let names = facets.map { "“\($0.name)”" }.joined(separator: ", ")
            throw .schemaMismatch(
                "\(self.name) has no facet “\(name)”; "
                    + (names.isEmpty ? "it declares none." : "its facets are \(names)."))
        }
        return Facet(index)
    }

    /// The tags of a field that orders keep sums of; `nil` for any other.
    func tags<Field>(of field: SummedField<Field>) -> SummedTag? {
        sums.first { $0.path == field.path && $0.part?.path == field.part }
    }
}

// MARK: - Reading

extension KindSchema {
    /// Some records, in the order of their identifiers here. One descent each.
    ///
    /// - Parameter source: what names the identifiers, for people; `nil` leaves out those that are not there.
    /// - Throws: `LibraryError.damaged` when one of them is not there.
    func rows(
        of identifiers: [UInt64], namedBy source: @autoclosure () -> String?,
        in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> RecordPage {
        let records = try translatingErrors { try trees.values(forKeys: identifiers, in: tree) }
        if let missing = records.ranges.firstIndex(of: nil), let source = source() {
            throw .damaged(
                "\(source) names \(name) \(ID<AppRecord>(rawValue: identifiers[missing])), which is not there.")
        }
        return RecordPage(identifiers, records.ranges, in: records.bytes, fields.known)
    }

    /// Room that is made for a record before its bytes are met.
    private static let usualByteCount = 64

    /// The records at some positions of their tree; it ends with the one that brings their bytes to the limit.
    func rows(
        at positions: Range<Int>, byteLimit: Int = .max, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> RecordPage {
        var identifiers: [UInt64] = []
        var ranges: [Range<Int>] = []
        var bytes: [UInt8] = []
        identifiers.reserveCapacity(positions.count)
        ranges.reserveCapacity(positions.count)
        bytes.reserveCapacity(min(positions.count * Self.usualByteCount, byteLimit))
        try translatingErrors {
            try trees.scan(tree, positions: positions) { key, value in
                let start = bytes.count
                bytes.append(contentsOf: value)
                identifiers.append(key.trailingIdentifier)
                ranges.append(start..<bytes.count)
                return bytes.count < byteLimit
            }
        }
        return RecordPage(identifiers, ranges, in: bytes, fields.known)
    }

    /// The records at the first of some positions, as many as share a piece of memory; the positions are those of the others then.
    func nextRows(
        at positions: inout Range<Int>, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> RecordPage {
        let rows = try rows(at: positions.prefix(256), byteLimit: 1 << 18, in: trees)
        positions = positions.dropFirst(rows.count)
        return rows
    }

    /// The records at some positions of their tree, where they lie, until `body` returns false.
    func scan(
        _ positions: Range<Int>, in trees: borrowing some TreeReadable & ~Copyable,
        _ body: (_ id: UInt64, _ record: RawSpan) -> Bool
    ) throws(LibraryError) {
        try scanRecords(positions, in: trees) { (record, id) throws(StorageError) in body(try id(), record) }
    }

    /// The same for who asks for few of the identifiers.
    func scanRecords(
        _ positions: Range<Int>, in trees: borrowing some TreeReadable & ~Copyable,
        _ body: (_ record: RawSpan, _ id: () throws(StorageError) -> UInt64) throws(StorageError) -> Bool
    ) throws(LibraryError) {
        try translatingErrors { try trees.scanValues(tree, positions: positions, body) }
    }
}

/// A field that orders keep sums of: looked up for every balance.
struct SummedTag: Sendable {
    let path: AnyKeyPath & Sendable
    let part: PartField?
    let tag: UInt32
    let partTag: UInt32?
}

import StorageEngine

/// The records that some rows name by a field, each read once.
struct LinkedRows<Target: Record> {
    /// For each row the identifier that it names, 0 for none.
    private let named: [UInt64]
    private let rows: RecordPage
    private var places: [UInt64: Int] = [:]

    /// - Throws: `LibraryError.damaged` when the field of a row cannot be read, or a page that a record lies in.
    init<Value: Record, Link: RecordReference>(
        of rows: RecordPage, by link: KeyPath<Value, Link> & Sendable, in trees: some TreeReadable
    ) throws(LibraryError) where Link.Target == Target {
        let kind = RecordKind<Target>.current
        try kind.check()
        try (trees as? any RecordTrees)?.check(kind)
        named = try rows.map { (row: RecordRow<Value>) throws(LibraryError) in
            try row[dynamicMember: link].referenced?.rawValue ?? 0
        }
        var distinct = Set(named)
        distinct.remove(0)
        // In the order of their tree, so that neighbours share its pages.
        self.rows = try kind.schema.rows(of: distinct.sorted(), namedBy: nil, in: trees)
        for (place, id) in self.rows.identifiers.enumerated() { places[id] = place }
    }

    /// `nil` where a row names none, or one that is not there.
    subscript(index: Int) -> RecordRow<Target>? { places[named[index]].map { rows.row($0) } }
}

/// Trees of a library that knows the types it was asked for.
private protocol RecordTrees {
    /// - Throws: `LibraryError.schemaMismatch` for a type whose name is that of another.
    func check<Value: Record>(_ kind: RecordKind<Value>) throws(LibraryError)
}

extension Version: RecordTrees {}
extension TransactionReader: RecordTrees {}

extension RecordPage {
    /// What is made of each row and of the records that it names.
    func lines<Value: Record, First: RecordReference, each Link: RecordReference, Line>(
        in trees: some TreeReadable, with first: KeyPath<Value, First> & Sendable,
        _ link: repeat KeyPath<Value, each Link> & Sendable,
        line: (RecordRow<Value>, RecordRow<First.Target>?, repeat RecordRow<(each Link).Target>?) throws -> Line
    ) throws -> [Line] where First.Target: Record, repeat (each Link).Target: Record {
        let firsts = try linked(by: first, in: trees)
        let others = (repeat try linked(by: each link, in: trees))
        var lines: [Line] = []
        lines.reserveCapacity(count)
        for index in 0..<count {
            lines.append(try line(row(index), firsts[index], repeat (each others)[index]))
        }
        return lines
    }

    private func linked<Value: Record, Link: RecordReference>(
        by link: KeyPath<Value, Link> & Sendable, in trees: some TreeReadable
    ) throws(LibraryError) -> LinkedRows<Link.Target> where Link.Target: Record {
        try LinkedRows(of: self, by: link, in: trees)
    }
}

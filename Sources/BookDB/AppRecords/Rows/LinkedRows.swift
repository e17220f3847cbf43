import StorageEngine

/// The records that some rows name by a field, each read once.
struct LinkedRows<Target: Record> {
    /// As many as there are rows; `nil` where a row names none, or one that is not there.
    let rows: [RecordRow<Target>?]

    /// - Throws: `BookError.damaged` when the field of a row cannot be read, or a page that a record lies in.
    init<Value: Record, Link: RecordReference>(
        of rows: [RecordRow<Value>], by link: KeyPath<Value, Link> & Sendable,
        in trees: some TreeReadable
    ) throws(BookError) where Link.Target == Target {
        let kind = RecordKind<Target>.current
        try kind.check()
        try (trees as? any RecordTrees)?.check(kind)
        let named = try rows.map { (row) throws(BookError) in try row[dynamicMember: link].referenced?.rawValue }
        // In the order of their tree, so that neighbours share its pages.
        let distinct = Set(named.compactMap { $0 }).sorted()
        let found = Dictionary(
            uniqueKeysWithValues: try kind.rows(of: distinct, namedBy: nil, in: trees).map { ($0.id.rawValue, $0) })
        self.rows = named.map { id in id.flatMap { found[$0] } }
    }
}

/// Trees of a library that knows the types it was asked for.
private protocol RecordTrees {
    /// - Throws: `BookError.schemaMismatch` for a type whose name is that of another.
    func check<Value: Record>(_ kind: RecordKind<Value>) throws(BookError)
}

extension Version: RecordTrees {}
extension TransactionReader: RecordTrees {}

extension Array {
    /// What is made of each row and of the records that it names.
    func lines<Value: Record, First: RecordReference, each Link: RecordReference, Line>(
        in trees: some TreeReadable, with first: KeyPath<Value, First> & Sendable,
        _ link: repeat KeyPath<Value, each Link> & Sendable,
        line: (RecordRow<Value>, RecordRow<First.Target>?, repeat RecordRow<(each Link).Target>?) throws -> Line
    ) throws -> [Line]
    where Element == RecordRow<Value>, First.Target: Record, repeat (each Link).Target: Record {
        let firsts = try linked(by: first, in: trees)
        let others = (repeat try linked(by: each link, in: trees))
        return try indices.map { index in
            try line(self[index], firsts.rows[index], repeat (each others).rows[index])
        }
    }

    private func linked<Value: Record, Link: RecordReference>(
        by link: KeyPath<Value, Link> & Sendable, in trees: some TreeReadable
    ) throws(BookError) -> LinkedRows<Link.Target> where Element == RecordRow<Value>, Link.Target: Record {
        try LinkedRows(of: self, by: link, in: trees)
    }
}

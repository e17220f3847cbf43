import StorageEngine

extension LibraryTransaction {
    /// The app's own records of a type, as the transaction has left them so far.
    public func records<Value: Record>(_ type: Value.Type) -> TransactionRecords<Value> {
        TransactionRecords(trees: trees.reader)
    }
}

/// The records of one type of the app's own, within a transaction: what is decided on them is committed with them, or not at all.
///
/// ```swift
/// try await store.write { library in
///     let savings = try library.records(Account.self).where(\.name, equals: "Savings")
///     if try savings.isEmpty { try library.insert(Account(name: "Savings")) }
/// }
/// ```
///
/// The queries and what they cost: `RecordQueries`. A list looks anew at every call, and shows what the transaction has written by then.
public struct TransactionRecords<Value: Record>: RecordQueries {
    let trees: TransactionReader
    private let kind = RecordKind<Value>.current

    /// O(log n). `nil` when there is no such record.
    public subscript(id: ID<Value>) -> Value? {
        get throws(LibraryError) {
            try trees.check(kind)
            return try trees.appRecord(id, kind)
        }
    }

    /// O(log n).
    public var count: Int {
        get throws(LibraryError) { try all.count }
    }

    public func list(_ query: RecordQuery<Value>) -> TransactionRecordList<Value> {
        TransactionRecordList(query: query, trees: trees)
    }
}

/// Records of a transaction in an order. See `TransactionRecords`.
public struct TransactionRecordList<Value: Record> {
    let query: RecordQuery<Value>
    let trees: TransactionReader

    /// O(log n); without an index, as long as it takes to read all records of the type.
    public var count: Int {
        get throws(LibraryError) { try matches.count }
    }

    public var isEmpty: Bool {
        get throws(LibraryError) { try count == 0 }
    }

    public var first: Value? {
        get throws(LibraryError) { try page(limit: 1).first }
    }

    /// Some records, from a place in the list on: fewer at its end.
    ///
    /// - Throws: `LibraryError.damaged` when one of them cannot be read; `LibraryError.invalidArgument` for a negative offset or limit, and when
    ///   the transaction has ended.
    public func page(offset: Int = 0, limit: Int = .max) throws(LibraryError) -> [Value] {
        try rows(offset: offset, limit: limit).records()
    }

    /// What is made of some records: only the fields that are asked for are read. See `RecordRow`.
    ///
    /// - Throws: what `line` throws, and as the other.
    public func page<Line>(
        offset: Int = 0, limit: Int = .max, _ line: (RecordRow<Value>) throws -> Line
    ) throws -> [Line] {
        try rows(offset: offset, limit: limit).map(line)
    }

    /// What a list shows of some records and of those that they name by some fields, such as the account of a transfer. Each of these is read
    /// once, whatever number of rows names it, and is `nil` where a row names none or one that is not there.
    ///
    /// - Throws: as the other.
    public func page<First: RecordReference, each Link: RecordReference, Line>(
        offset: Int = 0, limit: Int = .max, with first: KeyPath<Value, First> & Sendable,
        _ link: repeat KeyPath<Value, each Link> & Sendable,
        line: (RecordRow<Value>, RecordRow<First.Target>?, repeat RecordRow<(each Link).Target>?) throws -> Line
    ) throws -> [Line] where First.Target: Record, repeat (each Link).Target: Record {
        try rows(offset: offset, limit: limit).lines(in: trees, with: first, repeat each link, line: line)
    }

    /// The identifiers of some records, such as for `delete`. No record is read for them.
    ///
    /// - Throws: `LibraryError.invalidArgument` for a negative offset or limit, and when the transaction has ended.
    public func identifiers(offset: Int = 0, limit: Int = .max) throws(LibraryError) -> [ID<Value>] {
        let matches = try matches
        let range = try RecordMatches.pageRange(offset: offset, limit: limit, of: matches.count)
        return try matches.identifiers(range, in: trees).map(ID.init(rawValue:))
    }

    private func rows(offset: Int, limit: Int) throws(LibraryError) -> RecordPage {
        try matches.rows(offset: offset, limit: limit, query.kind.schema, in: trees)
    }

    private var matches: RecordMatches {
        get throws(LibraryError) {
            try trees.check(query.kind)
            return try query.matches(in: trees)
        }
    }
}

extension TransactionReader {
    /// - Throws: `LibraryError.invalidArgument` when the transaction has ended, and as `RecordTypes.check`.
    func check<Value: Record>(_ kind: RecordKind<Value>) throws(LibraryError) {
        guard isOpen else {
            throw .invalidArgument("A list of \(kind.name) records was kept beyond the transaction that it belongs to.")
        }
        try (attachment as? RecordTypes)?.check(kind, in: self)
    }
}

import StorageEngine

/// Records of a snapshot in an order: a lazy value, whose records are read when they are asked for.
///
/// Walking it leaves out records whose bytes are damaged. To learn of damage, ask for a `page`.
public struct RecordList<Value: Record>: Sendable {
    private let version: Version
    private let kind: RecordKind<Value>
    private let matches: RecordMatches

    init(_ query: RecordQuery<Value>, in version: Version) throws(LibraryError) {
        try version.check(query.kind)
        self.version = version
        kind = query.kind
        matches = try query.matches(in: version)
    }

    /// O(1).
    public var count: Int { matches.count }

    public var isEmpty: Bool { count == 0 }

    /// Some records, from a place in the list on: fewer at its end.
    ///
    /// - Throws: `LibraryError.damaged` when one of them cannot be read; `LibraryError.invalidArgument` for a negative offset or limit.
    public func page(offset: Int = 0, limit: Int) throws(LibraryError) -> [Value] {
        try rows(offset: offset, limit: limit).records()
    }

    /// What a list shows of some records: only the fields that are asked for are read. See `RecordRow`.
    ///
    /// - Throws: what `line` throws, and as the other.
    public func page<Line>(
        offset: Int = 0, limit: Int, _ line: (RecordRow<Value>) throws -> Line
    ) throws -> [Line] {
        try rows(offset: offset, limit: limit).map(line)
    }

    /// What a list shows of some records and of those that they name by some fields, such as the account of a transfer. Each of these is read
    /// once, whatever number of rows names it, and is `nil` where a row names none or one that is not there.
    ///
    /// - Throws: as the other.
    public func page<First: RecordReference, each Link: RecordReference, Line>(
        offset: Int = 0, limit: Int, with first: KeyPath<Value, First> & Sendable,
        _ link: repeat KeyPath<Value, each Link> & Sendable,
        line: (RecordRow<Value>, RecordRow<First.Target>?, repeat RecordRow<(each Link).Target>?) throws -> Line
    ) throws -> [Line] where First.Target: Record, repeat (each Link).Target: Record {
        try rows(offset: offset, limit: limit).lines(in: version, with: first, repeat each link, line: line)
    }

    private func rows(offset: Int, limit: Int) throws(LibraryError) -> RecordPage {
        try matches.rows(offset: offset, limit: limit, kind.schema, in: version)
    }

    /// The identifiers of some records, such as for `delete`. No record is read for them.
    ///
    /// - Throws: `LibraryError.invalidArgument` for a negative offset or limit.
    public func identifiers(offset: Int = 0, limit: Int = .max) throws(LibraryError) -> [ID<Value>] {
        let range = try RecordMatches.pageRange(offset: offset, limit: limit, of: count)
        return try matches.identifiers(range, in: version).map(ID.init(rawValue:))
    }

    fileprivate func record(_ id: ID<Value>) -> Value? { (try? version.appRecord(id, kind)) ?? nil }
}

extension RecordList: Sequence {
    public func makeIterator() -> Iterator { Iterator(list: self) }

    public var underestimatedCount: Int { 0 }

    /// Finds some identifiers at a time and reads one record at a time.
    public struct Iterator: IteratorProtocol {
        fileprivate let list: RecordList<Value>
        private var offset = 0
        private var identifiers: ArraySlice<ID<Value>> = []

        fileprivate init(list: RecordList<Value>) { self.list = list }

        public mutating func next() -> Value? {
            while true {
                if identifiers.isEmpty {
                    let limit = Swift.min(64, list.count - offset)
                    guard limit > 0 else { return nil }
                    identifiers = ((try? list.identifiers(offset: offset, limit: limit)) ?? [])[...]
                    offset += limit
                }
                while let id = identifiers.popFirst() {
                    if let record = list.record(id) { return record }
                }
            }
        }
    }
}

import StorageEngine

/// Records of a snapshot in an order: a lazy value, whose records are read when they are asked for.
///
/// Walking it leaves out records whose bytes are damaged. To learn of damage, ask for a `page`.
public struct RecordList<Value: Record>: Sendable {
    enum Source: Sendable {
        /// Entries of a tree whose keys end in the identifier.
        case entries(TreeNumber, Range<Int>)
        case identifiers([ID<Value>])
    }

    private let version: Version
    private let kind: RecordKind<Value>
    private let source: Source

    init(_ version: Version, _ kind: RecordKind<Value>, _ source: Source) {
        self.version = version
        self.kind = kind
        self.source = source
    }

    /// O(1).
    public var count: Int {
        switch source {
        case .entries(_, let positions): positions.count
        case .identifiers(let identifiers): identifiers.count
        }
    }

    public var isEmpty: Bool { count == 0 }

    /// Some records, from a place in the list on: fewer at its end.
    ///
    /// - Throws: `BookError.damaged` when one of them cannot be read; `BookError.invalidArgument` for a negative offset or limit.
    public func page(offset: Int = 0, limit: Int) throws(BookError) -> [Value] {
        guard offset >= 0, limit >= 0 else {
            throw .invalidArgument("A page has an offset and a limit of zero or more, not \(offset) and \(limit).")
        }
        var page: [Value] = []
        for id in try identifiers(offset: offset, limit: limit) {
            guard let record = try version.appRecord(id, kind) else {
                throw .damaged("an index names \(kind.name) \(id), which is not there.")
            }
            page.append(record)
        }
        return page
    }

    fileprivate func identifiers(offset: Int, limit: Int) throws(BookError) -> [ID<Value>] {
        let start = Swift.min(offset, count)
        let range = start..<start + Swift.min(limit, count - start)
        switch source {
        case .identifiers(let identifiers): return Array(identifiers[range])
        case .entries(let tree, let positions):
            var identifiers: [ID<Value>] = []
            let entries = positions.lowerBound + range.lowerBound..<positions.lowerBound + range.upperBound
            do throws(StorageError) {
                try version.forEachEntry(in: tree, positions: entries) { entry in
                    entry.withKey { key in
                        let id = key.byteCount < 8 ? 0 : key.loadBigEndian(at: key.byteCount - 8)
                        identifiers.append(ID(rawValue: id))
                    }
                    return true
                }
            } catch {
                throw BookError(error)
            }
            return identifiers
        }
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

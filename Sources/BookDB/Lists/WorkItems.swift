import StorageEngine

/// A list of works in one order under one filter: a lazy value over a snapshot.
///
/// Nothing is copied when a list is made, and nothing is sorted: `items[500_000]` is found by counting down the tree,
/// in O(log n), as is every other position. A slice shares the list and its indices, as slices of arrays do. A list
/// belongs to its snapshot and never changes.
///
/// Reading never throws: a row whose bytes are damaged is an item with `isReadable == false`. To learn of damage
/// instead, ask for a `page`.
public struct WorkItems: Sendable {
    public let order: WorkOrder
    public let direction: WorkDirection

    public var filter: WorkFilter { range.filter }

    public let startIndex: Int
    public let endIndex: Int

    let range: WorkRange
    let version: Version

    /// Why the list is empty, when it could not be counted.
    let failure: LibraryError?

    /// Whether the list is what there is. It is not while its library is still being opened, or when that could not be.
    public var isLoaded: Bool { version.isLoaded }

    init(_ version: Version, _ range: WorkRange, order: WorkOrder, _ direction: WorkDirection = .forward) {
        self.version = version
        self.order = order
        self.direction = direction
        self.range = range
        startIndex = 0
        endIndex = range.positions.count
        failure = nil
    }

    init(_ version: Version, order: WorkOrder, filter: WorkFilter, failure: LibraryError) {
        self.version = version
        self.order = order
        direction = .forward
        range = WorkRange(order.index, filter, positions: 0..<0)
        startIndex = 0
        endIndex = 0
        self.failure = failure
    }

    private init(_ list: WorkItems, bounds: Range<Int>) {
        version = list.version
        order = list.order
        direction = list.direction
        range = list.range
        startIndex = bounds.lowerBound
        endIndex = bounds.upperBound
        failure = list.failure
    }
}

extension WorkItems: RandomAccessCollection {
    public typealias Index = Int
    public typealias SubSequence = WorkItems
    public typealias Indices = Range<Int>

    /// O(log n).
    public subscript(index: Int) -> WorkListItem {
        precondition((startIndex..<endIndex).contains(index), "the index is in the list")
        let position = range.position(ofIndex: index)
        guard let entry = try? version.entry(at: position, in: range.index.tree, facet: range.facet),
            let item = try? range.item(entry)
        else { return WorkListItem(unreadableAt: position) }
        return item
    }

    /// O(1).
    public subscript(bounds: Range<Int>) -> WorkItems {
        precondition(startIndex <= bounds.lowerBound && bounds.upperBound <= endIndex, "the range is in the list")
        return WorkItems(self, bounds: bounds)
    }

    public func makeIterator() -> Iterator { Iterator(self) }

    /// Walks the list some rows at a time, which costs a fraction of finding each by its position.
    public struct Iterator: IteratorProtocol {
        private let list: WorkItems
        private var index: Int
        private var rows: [WorkListItem] = []
        private var nextRow = 0

        fileprivate init(_ list: WorkItems) {
            self.list = list
            index = list.startIndex
        }

        public mutating func next() -> WorkListItem? {
            if nextRow == rows.count { refill() }
            guard nextRow < rows.count else { return nil }
            defer { nextRow += 1 }
            return rows[nextRow]
        }

        private mutating func refill() {
            let range = index..<Swift.min(index + 64, list.endIndex)
            nextRow = 0
            index = range.upperBound
            do {
                rows = try list.rows(range)
            } catch {
                rows = range.map { list.resolvedItem(at: $0) }
            }
        }
    }
}

extension WorkItems {
    /// Some rows by position. Less than `limit` at the end of the list, none behind it. O(log n + limit).
    ///
    /// - Throws: `LibraryError.damaged` when a row cannot be read; `LibraryError.invalidArgument` for a negative offset or limit.
    public func page(offset: Int, limit: Int) throws(LibraryError) -> [WorkListItem] {
        let indices = try indices(offset: offset, limit: limit)
        return try translatingErrors { try rows(indices) }
    }

    /// The indices of a page, as many as there are.
    func indices(offset: Int, limit: Int) throws(LibraryError) -> Range<Int> {
        if let failure { throw failure }
        guard offset >= 0, limit >= 0 else {
            throw .invalidArgument("A page has an offset and a limit of zero or more, not \(offset) and \(limit).")
        }
        let lower = startIndex + Swift.min(offset, count)
        return lower..<lower + Swift.min(limit, endIndex - lower)
    }

    /// The rows after a cursor, or the first ones without. O(log n + limit).
    ///
    /// Going from page to page by cursor meets every work that stays in the list exactly once, even if works are added
    /// and deleted between the pages.
    ///
    /// A limit of zero gives no rows, and the same cursor back.
    ///
    /// - Throws: `LibraryError.damaged` when a row cannot be read; `LibraryError.invalidArgument` for a cursor of another list or a negative
    ///   limit.
    public func page(after cursor: WorkCursor?, limit: Int) throws(LibraryError) -> WorkPage {
        let range = try indices(after: cursor, limit: limit)
        return try translatingErrors {
            let next = try self.cursor(behind: range, after: cursor, limit: limit)
            return WorkPage(items: try rows(range), offset: range.lowerBound - startIndex, next: next)
        }
    }

    /// The indices of the page after a cursor.
    func indices(after cursor: WorkCursor?, limit: Int) throws(LibraryError) -> Range<Int> {
        if let failure { throw failure }
        guard limit >= 0 else { throw .invalidArgument("A page has a limit of zero or more, not \(limit).") }
        let lower = try cursor.map { cursor throws(LibraryError) in try index(after: cursor) } ?? startIndex
        return lower..<lower + Swift.min(limit, endIndex - lower)
    }

    /// The cursor that leads on from the page of so many rows after a cursor; `nil` from the last.
    func cursor(
        behind page: Range<Int>, after cursor: WorkCursor?, limit: Int
    ) throws(StorageError) -> WorkCursor? {
        if limit == 0 { return cursor }
        return page.upperBound < endIndex ? try self.cursor(at: page.upperBound - 1) : nil
    }

    private func index(after cursor: WorkCursor) throws(LibraryError) -> Int {
        let own = WorkCursor(range.index, direction, key: [])
        guard cursor.index == range.index, cursor.direction == direction else {
            throw .invalidArgument("The cursor goes on in \(cursor.words), and this list is \(own.words).")
        }
        guard range.index.isOrder || cursor.key.starts(with: range.prefix) else {
            throw .invalidArgument("The cursor goes on in another list: both are \(own.words), and not of the same.")
        }
        return try translatingErrors {
            // No key lies between a key and the same with a zero byte behind it.
            let isReversed = direction == .reverse && isReversed(cursor.key)
            let position = try version.lowerBound(
                of: isReversed ? cursor.key : cursor.key + [0], in: range.index.tree, facet: range.facet)
            let offset = position - range.positions.lowerBound
            // Backwards, the works before the key come next.
            let index = isReversed ? range.reversedCount - offset : offset
            return Swift.min(Swift.max(index, startIndex), endIndex)
        }
    }

    /// Whether a work under the key is among those that have the value, and so come in reverse.
    private func isReversed(_ key: [UInt8]) -> Bool {
        guard let first = range.index.definition.firstKeyWithoutValue else { return true }
        return key.dropFirst(range.prefix.count).lexicographicallyPrecedes(first)
    }

    /// The cursor behind the row at an offset from the start of this list or slice.
    func cursor(atOffset offset: Int) throws(LibraryError) -> WorkCursor? {
        return try translatingErrors { try cursor(at: startIndex + offset) }
    }

    private func cursor(at index: Int) throws(StorageError) -> WorkCursor? {
        let position = range.position(ofIndex: index)
        guard let entry = try version.entry(at: position, in: range.index.tree, facet: range.facet) else { return nil }
        return WorkCursor(range.index, direction, key: try entry.withKey { $0.copyBytes(0..<$0.byteCount) })
    }

    /// The index of the work under a key; `nil` when the list does not show it.
    func index(ofKey key: [UInt8]) throws(LibraryError) -> Int? {
        if let failure { throw failure }
        return try translatingErrors {
            guard let entry = try version.entry(forKey: key, in: range.index.tree) else { return nil }
            if let facet = range.facet, !entry.facets.contains(facet) { return nil }
            let position = try version.lowerBound(of: key, in: range.index.tree, facet: range.facet)
            guard range.positions.contains(position) else { return nil }
            return range.index(ofPosition: position)
        }
    }

    /// The index of a work that has these keys; `nil` when the list does not show it.
    func index(of keys: WorkKeys?) throws(LibraryError) -> Int? {
        guard let key = keys?.bytes(in: range.index, beginningWith: range.prefix) else { return nil }
        return try index(ofKey: key)
    }

    // MARK: Rows

    /// Rows with everything looked up.
    fileprivate func rows(_ indices: Range<Int>) throws(StorageError) -> [WorkListItem] {
        let entries = try range.entries(indices, in: version)
        var items: [WorkListItem] = []
        items.reserveCapacity(entries.count)
        for entry in entries {
            if let row = try WorkReference(entry: entry, index: range.index).row() {
                items.append(try WorkListItem(row: row))
            } else {
                items.append(try range.item(entry).resolved())
            }
        }
        return items
    }

    fileprivate func resolvedItem(at index: Int) -> WorkListItem {
        let item = self[index]
        return (try? item.resolved()) ?? item
    }
}

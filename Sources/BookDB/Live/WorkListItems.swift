import RecordStore
import StorageEngine

/// What a `WorkList` shows: a value with random access, whose rows are read when they are asked for.
///
/// Rows that follow one another are read together: a loop over `items.prefix(50)`, and `page`, cost one descent, where `items[index]` costs one each. A slice
/// shares the rows and their indices, as slices of arrays do.
public struct WorkListItems: RandomAccessCollection, LiveItems {
    public typealias Index = Int
    public typealias SubSequence = WorkListItems
    public typealias Indices = Range<Int>

    /// Of a list that shows all of its rows, those shown.
    let list: WorkItems
    /// Indices in `list`, in the order they are shown; `nil` when all are.
    let chosen: [Int32]?

    public let startIndex: Int
    public let endIndex: Int

    init(_ list: WorkItems, chosen: [Int32]? = nil) {
        self.init(list, chosen, chosen?.indices ?? list.indices)
    }

    private init(_ list: WorkItems, _ chosen: [Int32]?, _ bounds: Range<Int>) {
        self.list = list
        self.chosen = chosen
        (startIndex, endIndex) = (bounds.lowerBound, bounds.upperBound)
    }

    package var version: Version { list.version }

    var isLoaded: Bool { list.isLoaded }

    package var chosenByteCount: Int { (chosen?.count ?? 0) * MemoryLayout<Int32>.stride }

    /// O(log n), and O(matches) among rows that were chosen.
    func index(of id: ID<Work>) -> Int? {
        guard let row = (try? list.index(of: id)) ?? nil else { return nil }
        guard let chosen else { return row }
        return chosen[startIndex..<endIndex].firstIndex(of: Int32(row))
    }

    /// O(log n). The identifier is there without reading the row.
    public subscript(index: Int) -> WorkListItem {
        precondition((startIndex..<endIndex).contains(index), "the index is in the list")
        guard let chosen else { return list[index] }
        return list[Int(chosen[index])]
    }

    /// O(1).
    public subscript(bounds: Range<Int>) -> WorkListItems {
        precondition(startIndex <= bounds.lowerBound && bounds.upperBound <= endIndex, "the range is in the list")
        return WorkListItems(chosen == nil ? list[bounds] : list, chosen, bounds)
    }

    public func makeIterator() -> Iterator { Iterator(self) }

    /// Some rows by position, fewer at the end. One descent where all rows of an order are shown, and one for each row, or run of rows that are neighbours there,
    /// among rows that were chosen.
    ///
    /// - Throws: `LibraryError.damaged` when a row cannot be read; `LibraryError.invalidArgument` for a negative offset or limit.
    public func page(offset: Int, limit: Int) throws(LibraryError) -> [WorkListItem] {
        guard let chosen else { return try list.page(offset: offset, limit: limit) }
        guard offset >= 0, limit >= 0 else {
            throw .invalidArgument("A page has an offset and a limit of zero or more, not \(offset) and \(limit).")
        }
        var rows: [WorkListItem] = []
        var rest = chosen[startIndex..<endIndex].dropFirst(offset).prefix(limit)
        while let first = rest.first {
            // Rows that were chosen side by side are read in one go.
            var length = 1
            for row in rest.dropFirst() {
                guard row == first + Int32(length) else { break }
                length += 1
            }
            rows += try list.page(offset: Int(first) - list.startIndex, limit: length)
            rest = rest.dropFirst(length)
        }
        return rows
    }

    /// Walks the rows, some at a time where all of an order are shown.
    public struct Iterator: IteratorProtocol {
        private let items: WorkListItems
        private var rows: WorkItems.Iterator?
        private var index: Int

        fileprivate init(_ items: WorkListItems) {
            self.items = items
            rows = items.chosen == nil ? items.list.makeIterator() : nil
            index = items.startIndex
        }

        public mutating func next() -> WorkListItem? {
            if rows != nil { return rows?.next() }
            guard index < items.endIndex else { return nil }
            defer { index += 1 }
            return items[index]
        }
    }
}

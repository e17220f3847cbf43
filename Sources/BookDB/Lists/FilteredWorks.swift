import StorageEngine

/// The works of a list that fulfil a predicate, in the list's order: a lazy sequence over a snapshot.
///
/// Rows are looked at as they are asked for, so the first fifty cost as many rows as it takes to find fifty. A status, review
/// status or ownership that every match must have is taken from the counted lists; what is left is asked of each row. How
/// many there are in all is not known before every row was looked at: `count()` does so off the caller's actor.
///
/// A row that cannot be read matches nothing; to learn of damage instead, ask for a `page`.
public struct FilteredWorks: Sequence, Sendable {
    /// The works that are looked at.
    private let list: WorkItems
    private let condition: WorkPredicate.Condition?
    /// The works of each list that the predicate names.
    private let members: [WorkMembership: Set<UInt64>]
    private let failure: LibraryError?

    /// Those of what a query lists.
    init(_ version: Version, _ query: WorkListQuery, _ predicate: WorkPredicate? = nil) {
        var (query, condition) = (query, predicate?.condition)
        if query.filter == .all, let predicate { (query.filter, condition) = predicate.condition.split }
        do throws(LibraryError) {
            let membership = query.isKept ? nil : try query.membership(in: version)
            self.init(query.items(in: version), WorkPredicate.Condition.joined(membership?.condition, condition))
        } catch {
            self.init(WorkItems(version, order: query.order, filter: query.filter, failure: error), nil)
        }
    }

    /// Those of a list.
    init(_ list: WorkItems, _ predicate: WorkPredicate) {
        self.init(list, predicate.condition)
    }

    private init(_ list: WorkItems, _ condition: WorkPredicate.Condition?) {
        self.list = list
        self.condition = condition
        do throws(LibraryError) {
            if let failure = list.failure { throw failure }
            var members: [WorkMembership: Set<UInt64>] = [:]
            try Self.collect(condition, list.version, &members)
            self.members = members
            failure = nil
        } catch {
            members = [:]
            failure = error
        }
    }

    /// The members of the lists that the condition names. O(their number).
    private static func collect(
        _ condition: WorkPredicate.Condition?, _ version: Version, _ members: inout [WorkMembership: Set<UInt64>]
    ) throws(LibraryError) {
        switch condition {
        case .and(let left, let right)?, .or(let left, let right)?:
            try collect(left, version, &members)
            try collect(right, version, &members)
        case .not(let inner)?: try collect(inner, version, &members)
        case .member(let membership)?: members[membership] = try membership.works(in: version)
        case .all?, .filter?, .row?, nil: break
        }
    }

    /// The list whose rows are looked at.
    package var walked: WorkItems { list }

    public func makeIterator() -> Iterator { Iterator(self) }

    public struct Iterator: IteratorProtocol {
        private let works: FilteredWorks
        private var rows: WorkItems.Iterator

        fileprivate init(_ works: FilteredWorks) {
            self.works = works
            rows = works.list.makeIterator()
        }

        public mutating func next() -> WorkListItem? {
            guard works.failure == nil else { return nil }
            while let item = rows.next() {
                if works.matches(item) { return item }
            }
            return nil
        }
    }

    func matches(_ item: WorkListItem) -> Bool {
        guard let condition else { return true }
        return condition.holds(item) { members[$0]?.contains(item.id.rawValue) ?? false }
    }
}

extension FilteredWorks {
    /// Some matches from the beginning of the list, or after a cursor. Looks at rows until there are as many.
    ///
    /// - Throws: `LibraryError.damaged` when a row on the way cannot be read; `LibraryError.invalidArgument` as `WorkItems.page` does.
    public func page(after cursor: WorkCursor? = nil, limit: Int) throws(LibraryError) -> Page {
        if let failure { throw failure }
        guard limit >= 0 else { throw .invalidArgument("A page has a limit of zero or more, not \(limit).") }
        guard limit > 0 else { return Page(items: [], next: cursor) }
        var matches: [WorkListItem] = []
        var next = cursor
        var end = 0
        while true {
            let page = try rows(after: next, from: &end, limit: Swift.max(64, Swift.min(limit - matches.count, 1024)))
            for (index, item) in page.items.enumerated() where self.matches(item) {
                matches.append(item)
                guard matches.count == limit else { continue }
                let place = page.offset + index
                let end = place + 1 < list.count ? try list.cursor(atOffset: place) : nil
                return Page(items: matches, next: end)
            }
            guard let behind = page.next else { return Page(items: matches, next: nil) }
            next = behind
        }
    }

    /// - Parameter end: where the page before ended, and then where this one does.
    private func rows(after cursor: WorkCursor?, from end: inout Int, limit: Int) throws(LibraryError) -> WorkPage {
        let page = try list.page(after: cursor, limit: limit)
        guard page.offset >= end else { throw LibraryError(list.version.disorder(in: list.order.index.tree)) }
        end = page.offset + page.items.count
        return page
    }

    /// Some matches and the way to the next. How many precede them nobody has counted.
    public struct Page: Sendable {
        public let items: [WorkListItem]

        /// `nil` at the end of the list. Behind it there may be no further match.
        public let next: WorkCursor?
    }

    /// How many works match, off the caller's actor: O(1) when the trees count them, else every row of the counted filter is
    /// looked at.
    ///
    /// - Throws: `LibraryError.damaged` when a row cannot be read; `.cancelled` as soon as the task is.
    @concurrent
    public func count() async throws(LibraryError) -> Int {
        if let failure { throw failure }
        guard condition != nil else { return list.count }
        var (count, end, next) = (0, 0, WorkCursor?.none)
        repeat {
            if Task.isCancelled { throw .cancelled }
            let page = try rows(after: next, from: &end, limit: 1024)
            count += page.items.count(where: matches)
            next = page.next
        } while next != nil
        return count
    }
}

extension FilteredWorks {
    /// The indices of the matches in the list. Ends early with `LibraryError.cancelled` when the task is cancelled.
    func indices() throws(LibraryError) -> [Int32] {
        if let failure { throw failure }
        var indices: [Int32] = []
        for (index, item) in list.enumerated() {
            if index.isMultiple(of: 4096), Task.isCancelled { throw .cancelled }
            if matches(item) { indices.append(Int32(index)) }
        }
        return indices
    }
}

import Observation

/// A list of an app's own records for an interface, which follows the library.
///
/// ```swift
/// let statement = try LiveRecords(store, Transfer.self, "statement", of: savings)
/// statement.predicate = { try $0.amount < 0 }
/// statement.rows[40].amount
/// try statement.items.sum(\.amount)
/// ```
///
/// It costs no memory for its rows and is never sorted or fetched again: a commit costs what it changed. Under a predicate it keeps four
/// bytes a match, and a commit that moves rows goes through these. `change` says which rows
/// went, came, moved or differ, worked out from ranks in the order. All lists of an app come to a commit
/// together.
///
/// A list whose order is not whole yet, or cannot be read, is empty and `error` says why. Every commit tries again, so the one that
/// makes the order whole also fills the list.
@MainActor public final class LiveRecords<Value: Record>: Observable {
    /// The stretch of the order that the list shows, with its sums, groups and running sums. Under a predicate it holds the records
    /// that `rows` are chosen from.
    public var items: RecordOrderList<Value> { state.items.list }

    /// What the list shows now, row by row.
    public var rows: RecordRows<Value> { state.items }

    /// The number of rows.
    public var count: Int { state.items.count }

    /// What the last commit, or the last change to the list itself, did to `rows`.
    public var change: ListChange { state.change }

    /// Increases with every `change`.
    public var changeNumber: Int { state.changeNumber }

    /// Why the list is empty; `nil` when it shows what there is.
    public var error: LibraryError? { state.items.error }

    /// Whether the list shows what there is. A library that is still being opened, or could not be, has lists that are *not loaded*:
    /// they are not empty, nobody knows what is in them. Their counts say nothing.
    public var isLoaded: Bool { state.items.isLoaded }

    /// All records of the stretch, or those of a facet.
    public var filter: RecordFilter<Value> {
        get { query.filter }
        set { if newValue != query.filter { query.filter = newValue } }
    }

    /// What the records must fulfil beyond the filter. The matches are looked for off the main actor; afterwards a commit tests the
    /// records that it changed. One that cannot be read, or that it throws for, is not shown.
    public var predicate: (@Sendable (RecordRow<Value>) throws -> Bool)? {
        get { condition }
        set {
            condition = newValue
            choose()
        }
    }

    /// The rows on the screen. A commit moves the window with its first row, so that nothing jumps; at the top it stays there.
    public var window: Range<Int> {
        get { state.window }
        set { state.window = newValue }
    }

    /// Records that were deleted leave it.
    public var selection: Set<ID<Value>> {
        get { selected }
        set { selected = newValue }
    }

    /// Whether matches of the predicate are being looked for; `rows` is what was found before.
    public var isSearching: Bool { state.isSearching }

    @Observed private var condition: (@Sendable (RecordRow<Value>) throws -> Bool)?
    @Observed private var selected: Set<ID<Value>> = []
    @Observed private var query: RecordListQuery<Value> {
        didSet {
            queryNumber = hub.number(of: query)
            choose()
        }
    }

    private var queryNumber: Int
    private let hub: LiveListHub
    private let state: LiveListState<RecordRows<Value>>

    /// The records that have the given values in the first components of an order; all when there is none.
    ///
    /// - Throws: `LibraryError.schemaMismatch` for an order or facet that the type does not declare; `.invalidArgument` for a value of
    ///   another type than the component has, and for more values than components.
    public convenience init<each Component: Encodable>(
        _ store: RecordLibrary, _ type: Value.Type, _ order: String, of value: repeat each Component,
        filter: RecordFilter<Value> = .all
    ) throws(LibraryError) {
        self.init(store, try RecordListQuery(order, filter, of: repeat each value))
    }

    /// All records of a type, by identifier. Facets are counted in orders, so such a list takes no filter.
    ///
    /// - Throws: `LibraryError.schemaMismatch` for a type that cannot be stored.
    public convenience init(_ store: RecordLibrary, _ type: Value.Type) throws(LibraryError) {
        self.init(store, try RecordListQuery())
    }

    private init(_ store: RecordLibrary, _ query: RecordListQuery<Value>) {
        self.query = query
        hub = store.listHub
        queryNumber = hub.number(of: query)
        state = LiveListState(query.rows(in: hub.snapshot.version), hub.memory) {
            (try? $0.index(ofRow: $2, of: $1)) ?? nil
        }
        hub.add(self)
    }

    /// The library as the list shows it. While matches are looked for again after a commit (`isSearching`) it has that commit, and `rows` are of the one
    /// before.
    public var snapshot: Snapshot { hub.snapshot }

    /// The row of a record; `nil` when the list does not show it. O(log n).
    public func index(of id: ID<Value>) -> Int? { (try? state.items.index(of: id)) ?? nil }

    /// Waits until the list shows a commit, such as the one just made.
    public func shows(_ commitNumber: UInt64) async {
        await hub.showing(commitNumber)
        await state.searched()
    }

    // MARK: Following

    private func choose() {
        guard predicate == nil else { return look() }
        state.reload(query.rows(in: hub.snapshot.version))
    }

    private var finder: RecordMatchFinder<Value>? {
        predicate.map { RecordMatchFinder(version: hub.snapshot.version, query: query, predicate: $0) }
    }

    /// - Parameter isAgain: whether a commit is the reason.
    private func look(again isAgain: Bool = false) {
        state.look(
            again: isAgain,
            for: { [weak self] (_) async throws(LibraryError) in
                guard let finder = self?.finder else { throw .cancelled }
                return try await finder.rows()
            },
            orShow: { [weak self] error in
                self.map { RecordRows(failing: error, in: $0.hub.snapshot.version) }
            })
    }
}

extension LiveRecords: LiveList {
    package func takeNumber() { queryNumber = hub.number(of: query) }

    package func follow(_ diff: SnapshotDiff) {
        if diff.mayHideDeletions, !selection.isEmpty {
            // What cannot be read was not deleted.
            let left = selection.filter { id in
                do { return try diff.after.records(Value.self)[id] != nil } catch { return true }
            }
            if left.count < selection.count { selection = left }
        }
        if !selection.isEmpty, let deleted = diff.changes.records[Value.recordName]?.deleted, !deleted.isEmpty {
            let left = selection.filter { !deleted.contains($0.untyped) }
            if left.count < selection.count { selection = left }
        }
        guard !state.isPast(diff) else { return }
        guard let predicate else { return state.show(diff.outcome(of: query, from: state.items, queryNumber)) }
        let isConcerned =
            diff.changes.isRelisted || diff.isOfOtherFile || error != nil
            || query.kinds.contains { diff.changes.records[$0]?.isEmpty == false }
        let isFollowing = state.follow(ifConcerned: isConcerned) {
            diff.outcome(of: query, choosing: predicate, from: state.items, queryNumber)
        }
        if !isFollowing { look(again: true) }
    }
}

import StorageEngine

/// Which records of a type changed from one snapshot to a later one, and where each is in the orders before and after.
///
/// Their bytes are read once for all lists, their entries are made once for each order.
@MainActor final class RecordDiff<Value: Record> {
    private let before: Version
    private let after: Version
    /// `nil` when too many changed to go by rows, or orders were emptied.
    private let changed: [UInt64]?
    private var knownBytes: [(before: [UInt8]?, after: [UInt8]?)]?
    private var orders: [String?: OrderStretch<Value>?] = [:]
    private var entries: [TreeNumber: [(before: OrderEntry?, after: OrderEntry?)]] = [:]

    init(from before: Version, to after: Version, _ changes: LibraryChanges) {
        self.before = before
        self.after = after
        let records = changes.records[RecordKind<Value>.current.name] ?? Changes()
        let count = records.inserted.count + records.updated.count + records.deleted.count
        if count > SnapshotDiff.maximumChangeCount || changes.isRelisted {
            changed = nil
        } else {
            changed =
                records.inserted.map(\.rawValue) + records.updated.map(\.rawValue) + records.deleted.map(\.rawValue)
        }
    }

    /// What a list shows after the commit.
    func stretch(of query: RecordListQuery<Value>) throws(BookError) -> OrderStretch<Value>? {
        if let known = orders[query.order] { return try query.stretch(of: known, in: after) }
        let order = try query.order(in: after)
        orders[query.order] = .some(order)
        return try query.stretch(of: order, in: after)
    }

    /// Where each changed record was in a stretch before and is in it now; `nil` when that cannot be told by rows.
    func steps(
        from old: OrderStretch<Value>?, to new: OrderStretch<Value>?
    ) throws(BookError) -> [ListChange.Step]? {
        guard let order = new ?? old else { return [] }
        guard old == nil || new == nil || old?.order == new?.order,
            let entries = try entries(in: order)
        else { return nil }
        var steps: [ListChange.Step] = []
        steps.reserveCapacity(entries.count)
        for entry in entries {
            steps.append(
                ListChange.Step(
                    before: try row(of: entry.before, in: old, before), after: try row(of: entry.after, in: new, after))
            )
        }
        // An order that damage made hold other rows than the records say would make every later index wrong.
        let (goneCount, comeCount) = (steps.count { $0.before != nil }, steps.count { $0.after != nil })
        let (oldCount, newCount) = (old?.positions.count ?? 0, new?.positions.count ?? 0)
        return oldCount - goneCount + comeCount == newCount ? steps : nil
    }

    private func row(
        of entry: OrderEntry?, in stretch: OrderStretch<Value>?, _ version: Version
    ) throws(BookError) -> Int? {
        guard let entry, let stretch else { return nil }
        return try stretch.row(of: entry, in: version)
    }

    /// The entries of the changed records in an order; `nil` when too many changed, or one cannot be read.
    private func entries(
        in stretch: OrderStretch<Value>
    ) throws(BookError) -> [(before: OrderEntry?, after: OrderEntry?)]? {
        if let known = entries[stretch.order.tree] { return known }
        guard let changed, let bytes = try changedBytes() else { return nil }
        var made: [(before: OrderEntry?, after: OrderEntry?)] = []
        made.reserveCapacity(changed.count)
        for (id, bytes) in zip(changed, bytes) {
            do throws(RecordProblem) {
                var entry: (before: OrderEntry?, after: OrderEntry?)
                if let bytes = bytes.before { entry.before = try stretch.entry(of: id, bytes) }
                if let bytes = bytes.after { entry.after = try stretch.entry(of: id, bytes) }
                made.append(entry)
            } catch {
                return nil
            }
        }
        entries[stretch.order.tree] = made
        return made
    }

    private func changedBytes() throws(BookError) -> [(before: [UInt8]?, after: [UInt8]?)]? {
        if let knownBytes { return knownBytes }
        guard let changed else { return nil }
        let kind = RecordKind<Value>.current
        var made: [(before: [UInt8]?, after: [UInt8]?)] = []
        made.reserveCapacity(changed.count)
        for id in changed {
            let key = AppRecordKey.record(kind.nameBytes, id)
            made.append((try before.appRecordBytes(key), try after.appRecordBytes(key)))
        }
        knownBytes = made
        return made
    }

    /// A changed record after the commit, by its place among the steps; `nil` when it is gone.
    func row(_ index: Int) -> RecordRow<Value>? {
        guard let changed, let bytes = knownBytes?[index].after else { return nil }
        return RecordRow(ID(rawValue: changed[index]), bytes, RecordKind<Value>.current.fields.known)
    }
}

import StorageEngine

/// Which records of a type changed from one snapshot to a later one, and where each stands in the orders before and after.
///
/// Their bytes are read once for all lists, their entries are made once for each order.
@MainActor final class RecordDiff<Value: Record> {
    private let before: Version
    private let after: Version
    /// `nil` when too many changed to go by rows, or orders were emptied.
    private let changed: [UInt64]?
    private let changes: LibraryChanges
    /// Of fields of records that others name, whether some record has another value there.
    private var movedFields: [(component: OrderDeclaration.Component, isMoved: Bool)] = []
    private var knownBytes: [(before: [UInt8]?, after: [UInt8]?)]?
    private var orders: [String?: OrderStretch?] = [:]
    private var places: [TreeNumber: [Place]] = [:]

    /// One of the places of a changed record in an order.
    private struct Place {
        /// The place of the record among those that changed.
        let record: Int
        var before: OrderEntry?
        var after: OrderEntry?
    }

    init(from before: Version, to after: Version, _ changes: LibraryChanges) {
        self.before = before
        self.after = after
        self.changes = changes
        let records = changes.records[RecordKind<Value>.current.name] ?? Changes()
        if records.count > SnapshotDiff.maximumChangeCount || changes.isRelisted {
            changed = nil
        } else {
            changed =
                records.inserted.map(\.rawValue) + records.updated.map(\.rawValue) + records.deleted.map(\.rawValue)
        }
    }

    /// What a list shows after the commit.
    func stretch(of query: RecordListQuery<Value>) throws(LibraryError) -> OrderStretch? {
        if let known = orders[query.order] { return try query.stretch(of: known, in: after) }
        let order = try query.order(in: after)
        orders[query.order] = .some(order)
        return try query.stretch(of: order, in: after)
    }

    /// Where each changed record was in a stretch before and is in it now; `nil` when that cannot be told by rows.
    func steps(
        from old: OrderStretch?, to new: OrderStretch?
    ) throws(LibraryError) -> [ListChange.Step]? {
        guard let order = new ?? old else { return [] }
        // A record that others name moves those, whichever they are.
        for component in order.order.declaration.linked where try isMoved(component) { return nil }
        guard old == nil || new == nil || old?.order == new?.order,
            let places = try places(in: order)
        else { return nil }
        var steps: [ListChange.Step] = []
        steps.reserveCapacity(places.count)
        for place in places {
            steps.append(
                ListChange.Step(
                    before: try row(of: place.before, in: old, before), after: try row(of: place.after, in: new, after))
            )
        }
        return ListChange.lead(steps, from: old?.positions.count ?? 0, to: new?.positions.count ?? 0) ? steps : nil
    }

    /// Whether a record that others name went, came back, or has another value in the field that an order goes by. Looks at each that changed, twice.
    private func isMoved(_ component: OrderDeclaration.Component) throws(LibraryError) -> Bool {
        if let known = movedFields.first(where: { $0.component == component }) { return known.isMoved }
        let isMoved = try findsMove(of: component)
        movedFields.append((component, isMoved))
        return isMoved
    }

    private func findsMove(of component: OrderDeclaration.Component) throws(LibraryError) -> Bool {
        guard let kind = component.linked?.kind else { return false }
        if changes.returnedKinds.contains(kind) { return true }
        guard let records = changes.records[kind] else { return false }
        guard records.deleted.isEmpty, records.updated.count <= SnapshotDiff.maximumChangeCount else { return true }
        for id in records.updated {
            guard let old = try before.recordBytes(id.rawValue, ofKind: kind), let oldFields = try? RecordFields(old),
                let new = try after.recordBytes(id.rawValue, ofKind: kind), let newFields = try? RecordFields(new),
                component.uses(oldFields) == component.uses(newFields)
            else { return true }
        }
        return false
    }

    private func row(
        of entry: OrderEntry?, in stretch: OrderStretch?, _ version: Version
    ) throws(LibraryError) -> Int? {
        guard let entry, let stretch else { return nil }
        return try stretch.row(of: entry, in: version)
    }

    /// The places of the changed records in an order; `nil` when too many changed, or one cannot be read.
    private func places(in stretch: OrderStretch) throws(LibraryError) -> [Place]? {
        if let known = places[stretch.order.tree] { return known }
        guard let bytes = try changedBytes(), let changed else { return nil }
        var made: [Place] = []
        made.reserveCapacity(changed.count)
        for (record, bytes) in bytes.enumerated() {
            guard let old = try entries(of: changed[record], bytes.before, in: stretch, before),
                let new = try entries(of: changed[record], bytes.after, in: stretch, after)
            else { return nil }
            made += Self.places(of: record, old, new)
            // A record has one for each element of a list.
            if made.count > Self.maximumPlaceCount { return nil }
        }
        places[stretch.order.tree] = made
        return made
    }

    /// Two descents each, on the main actor: of more the rows are read again.
    private static var maximumPlaceCount: Int { 4 * SnapshotDiff.maximumChangeCount }

    /// None for a record that is not there; `nil` for one that cannot be read.
    private func entries(
        of id: UInt64, _ bytes: [UInt8]?, in stretch: OrderStretch, _ version: Version
    ) throws(LibraryError) -> [OrderEntry]? {
        guard let bytes else { return [] }
        return try stretch.entries(of: id, bytes, in: version)
    }

    /// Where a record keeps its key it stays; from the others it moves, the first to the first.
    private static func places(of record: Int, _ before: [OrderEntry], _ after: [OrderEntry]) -> [Place] {
        if before.count <= 1, after.count <= 1 {
            return before.isEmpty && after.isEmpty
                ? [] : [Place(record: record, before: before.first, after: after.first)]
        }
        let (old, new) = (Set(before.map(\.key)), Set(after.map(\.key)))
        let staying = after.filter { old.contains($0.key) }
        let stayed = before.filter { new.contains($0.key) }
        let (gone, come) = (before.filter { !new.contains($0.key) }, after.filter { !old.contains($0.key) })
        return zip(stayed, staying).map { Place(record: record, before: $0, after: $1) }
            + (0..<max(gone.count, come.count)).map { index in
                Place(
                    record: record, before: index < gone.count ? gone[index] : nil,
                    after: index < come.count ? come[index] : nil)
            }
    }

    private func changedBytes() throws(LibraryError) -> [(before: [UInt8]?, after: [UInt8]?)]? {
        if let knownBytes { return knownBytes }
        guard let changed else { return nil }
        let kind = RecordKind<Value>.current
        var made: [(before: [UInt8]?, after: [UInt8]?)] = []
        made.reserveCapacity(changed.count)
        for id in changed {
            made.append((try before.recordBytes(id, in: kind.tree), try after.recordBytes(id, in: kind.tree)))
        }
        knownBytes = made
        return made
    }

    /// The changed record of a step in an order, after the commit; `nil` when it is gone.
    func row(ofStep index: Int, in order: StoredOrder) -> RecordRow<Value>? {
        guard let changed, let record = places[order.tree]?[index].record, let bytes = knownBytes?[record].after else {
            return nil
        }
        return RecordRow(ID(rawValue: changed[record]), RecordBytes(bytes), RecordKind<Value>.current.fields.known)
    }
}

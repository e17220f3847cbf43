extension SnapshotDiff {
    /// What a list shows after the commit, and what the commit did to it.
    ///
    /// - Parameters:
    ///   - rows: what it showed before.
    ///   - number: the hub's for the query.
    func outcome<Value: Record>(
        of query: RecordListQuery<Value>, from rows: RecordRows<Value>, _ number: Int
    ) -> ListOutcome<RecordRows<Value>> {
        outcome(number) {
            let diff = records(of: Value.self)
            do throws(LibraryError) {
                let stretch = try diff.stretch(of: query)
                let steps = rows.error == nil ? try? diff.steps(from: rows.list.known, to: stretch) : nil
                return ListOutcome(RecordRows(stretch, in: after.version), steps ?? nil)
            } catch {
                // Empty before and after.
                return ListOutcome(
                    RecordRows(failing: error, in: after.version), rows.error == nil ? .reload : ListChange())
            }
        }
    }

    /// The same of a list that a predicate chooses: only the changed records are tested. `nil` when they have to be looked for again.
    func outcome<Value: Record>(
        of query: RecordListQuery<Value>, choosing predicate: (RecordRow<Value>) throws -> Bool,
        from rows: RecordRows<Value>,
        _ number: Int
    ) -> ListOutcome<RecordRows<Value>>? {
        let base = outcome(of: query, from: rows, number)
        guard let chosen = rows.chosen, let steps = base.steps else { return nil }
        let diff = records(of: Value.self)
        let order = (base.items.list.known ?? rows.list.known)?.order
        let followed = RowMoves(steps).followed(chosen) { step in
            (try? order.flatMap { diff.row(ofStep: step, in: $0) }.map(predicate)) == true
        }
        return ListOutcome(base.items.choosing(followed.chosen), followed.change)
    }
}

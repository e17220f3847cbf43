import RecordStore
import Testing

extension ListChange {
    /// The change, made to the old rows, gives the new ones; what shows something else is among the updates, moves or insertions.
    package func expect<Row: Identifiable & Equatable>(_ old: [Row], _ new: [Row], _ comment: Comment) {
        #expect(applied(to: old, arriving: new).map(\.id) == new.map(\.id), comment)
        let before = Dictionary(old.map { ($0.id, $0) }) { first, _ in first }
        let told = Set(updates + insertions + moves.map(\.to))
        for (index, item) in new.enumerated() where before[item.id] != item {
            #expect(told.contains(index), comment)
        }
    }

    /// As a table view does it: out with what goes, then in with what comes, by ascending index.
    private func applied<Row>(to old: [Row], arriving new: [Row]) -> [Row] {
        var rows = old
        for index in (removals + moves.map(\.from)).sorted(by: >) { rows.remove(at: index) }
        for index in (insertions + moves.map(\.to)).sorted() { rows.insert(new[index], at: index) }
        return rows
    }
}

/// What a list shows, and what made it show that. A class, because a hundred lists may share it.
package final class ListOutcome<Items: Sendable>: Sendable {
    package let items: Items
    let change: ListChange
    /// Where each changed row was and is; `nil` for a reload, and for rows that a search or a predicate has chosen.
    package let steps: [ListChange.Step]?

    package init(_ items: Items, _ change: ListChange) {
        self.items = items
        self.change = change
        steps = nil
    }

    /// - Parameter steps: `nil` for a reload.
    package init(_ items: Items, _ steps: [ListChange.Step]?) {
        self.items = items
        self.steps = steps
        change = steps.map { ListChange($0) } ?? .reload
    }
}

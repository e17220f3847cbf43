/// What a list shows, and what made it show that. A class, because a hundred lists may share it.
final class ListOutcome<Items: Sendable>: Sendable {
    let items: Items
    let change: ListChange

    init(_ items: Items, _ change: ListChange) {
        self.items = items
        self.change = change
    }
}

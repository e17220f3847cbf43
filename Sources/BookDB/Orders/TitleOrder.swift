import RecordStore
import StorageEngine

extension WorkOrder {
    /// As a librarian files titles: case, accents and leading articles do not count, numbers go by value.
    public static let title = WorkOrder("title", .order(LibraryTree.title, head: .bytes(0)))
}

extension LibraryTree {
    /// The list: title key ‖ 00 ‖ work → the list row. With facets, as are all trees in which works stand.
    static let title = TreeNumber(1)
}

extension WorkIndexDefinition {
    static let titleOrder = WorkIndexDefinition(
        index: WorkOrder.title.index, name: "title", words: "the list by title", letter: "t", order: .title,
        addKeys: { _, keys in keys.add(WorkOrder.title.index) { _ in } },
        heading: { SectionHeading.filed($0, $1) })
}

import Filing
import RecordStore
import StorageEngine

extension WorkOrder {
    /// By the sort name of the first author.
    public static let author = WorkOrder("author", .order(LibraryTree.authorOrder, head: .text))
}

extension LibraryTree {
    /// First author's sort key ‖ 00 ‖ key in `title` → nothing.
    static let authorOrder = TreeNumber(2)
}

extension WorkIndexDefinition {
    static let authorOrder = WorkIndexDefinition(
        index: WorkOrder.author.index, name: "author-order", words: "the order by author", letter: "a", order: .author,
        needs: [.authors],
        firstKeyWithoutValue: [0xFF],
        addKeys: { work, keys in
            let author = work.authors.first.map { AuthorSortName.key($0.sortName, filing: work.filing) } ?? [0xFF]
            keys.add(WorkOrder.author.index) { key in
                key.append(contentsOf: author)
                key.append(LibraryKey.separator)
            }
        },
        heading: { $0.first == 0xFF ? .none : .filed($0, $1) })
}

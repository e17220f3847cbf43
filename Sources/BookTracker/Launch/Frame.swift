import BookDB

/// What a list shows at one moment: whether it is loaded, how long it is, and its first rows.
struct Frame: Sendable {
    /// A row of the list as the app draws it.
    struct Row: Sendable, Equatable {
        let title: String
        let authors: String
        let year: Int?
        /// Whether its bytes could be read.
        let isReadable: Bool

        init(_ item: WorkListItem) {
            (title, authors, year, isReadable) = (item.title, item.authors, item.year, item.isReadable)
        }
    }

    static let rowCount = 50

    /// A list that is not loaded is not empty: nobody knows yet what is in it.
    let isLoaded: Bool
    let count: Int
    let rows: [Row]
    /// Why the list shows nothing.
    let error: LibraryError?

    @MainActor init(of list: WorkList) {
        isLoaded = list.isLoaded
        count = list.items.count
        rows = list.items.prefix(Self.rowCount).map(Row.init)
        error = list.error
    }

    var words: String {
        isLoaded ? "\(Figure.count(rows.count)) rows of \(Figure.count(count, "work"))" : "not loaded"
    }
}

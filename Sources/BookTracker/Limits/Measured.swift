import BookDB

/// What a reader's first minute took and found.
struct Measured: Sendable {
    /// How many works the list has.
    var workCount = 0
    var firstRowCount = 0
    var readableCount = 0
    /// Memory that drawing all rows of the list took; `nil` where that is not known.
    var listByteCount: Int?
    /// What the library says that it holds then.
    var footprint: Footprint?
    /// The longest wait for the rows of a text, and how many the whole text found.
    var search = (nanoseconds: 0, textCount: 0, foundCount: 0)
    /// The longest of all filters, and how many works the statuses of review have together: each work has one.
    var filter = (nanoseconds: 0, countOfReviews: 0)
    var purchases = (nanoseconds: 0, count: 0, rowCount: 0)
    /// Works that the file added, and how many more the list showed then.
    var imports = (nanoseconds: 0, addedCount: 0, shownCount: 0)
}

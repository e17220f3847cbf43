/// What a search sees of one work.
struct SearchedRow {
    /// Of the title, in the list by title.
    let key: [UInt8]
    let line: [UInt8]
}

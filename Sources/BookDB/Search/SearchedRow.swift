import Filing
import RecordStore
import StorageEngine

/// What a search sees of one work.
struct SearchedRow {
    /// Of the title, in the list by title.
    let key: [UInt8]
    let line: [UInt8]
}

extension SearchText {
    /// Adds the line of a stored row. A row that cannot be read is an empty line.
    static func append(_ row: RawSpan, to folder: inout TextFolder) {
        if StoredRow.isReadable(row) {
            append(row, StoredRow.titleRange(row), to: &folder)
            folder.begin(behind: fieldEnd)
            folder.add(row, StoredRow.authorsRange(row))
            folder.begin(behind: fieldEnd)
            folder.add(row, StoredRow.otherNamesRange(row))
            folder.removeLast { $0 == fieldEnd }
        }
        folder.begin(behind: rowEnd)
    }
}

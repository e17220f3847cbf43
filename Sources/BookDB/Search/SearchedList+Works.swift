import Filing
import RecordStore
import StorageEngine

extension SearchedList {
    private static let rated: UInt16 = 1 << 15

    /// The list of works by title: title, authors and other names of each. A reading status, a rating and owning it say that the reader
    /// cares for a work.
    static let works = SearchedList(
        LibraryTree.title,
        signals: (
            set: rated | FacetSet(WorkFacet.owned).rawValue, notSet: FacetSet(WorkFacet.status(.none)).rawValue
        ),
        flags: { row, facets in
            let isRated = StoredRow.isReadable(row) && StoredRow.rating(row) != nil
            return RowFlags(rawValue: facets.rawValue & ~rated | (isRated ? rated : 0))
        },
        appendLine: { row, folder in
            if let texts = RowTexts(row) {
                SearchText.append(row, texts.titleRange, to: &folder)
                folder.begin(behind: SearchText.fieldEnd)
                folder.add(row, texts.authorsRange)
                folder.begin(behind: SearchText.fieldEnd)
                folder.add(row, texts.otherNamesRange)
                folder.removeLast { $0 == SearchText.fieldEnd }
            }
            folder.begin(behind: SearchText.rowEnd)
        })
}

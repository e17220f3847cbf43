import RecordStore
import StorageEngine

extension WorkIndex {
    /// The works of each series, in its order.
    static let seriesList = WorkIndex.lists(LibraryTree.seriesWorks, head: .textAndSeriesNumber)
}

extension LibraryTree {
    /// Folded name of a series ‖ 00 ‖ number ‖ key in `title` → its name.
    static let seriesWorks = TreeNumber(21)
}

extension WorkIndexDefinition {
    static let seriesList = WorkIndexDefinition(
        index: .seriesList, name: "series-list", words: "the lists by series", letter: "n", listWords: "a series",
        order: .series,
        firstKeyWithoutValue: SeriesNumber.none,
        addKeys: { work, keys in
            // A list shows a work once: of two places in a series the first counts, and two names that fold alike are one.
            var names = KeySet()
            for series in work.work.series {
                let name = LibraryKey.namePrefix(series.name)
                guard names.insert(name) else { continue }
                keys.add(.seriesList, value: series.name) {
                    $0.append(contentsOf: LibraryKey.series(name, number: series.number))
                }
            }
        })
}

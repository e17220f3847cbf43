import RecordStore
import StorageEngine

extension WorkOrder {
    /// By the name of the first series, then by the number in it.
    public static let series = WorkOrder("series", .order(LibraryTree.seriesOrder, head: .textAndSeriesNumber))
}

extension LibraryTree {
    /// Folded name of the first series ‖ 00 ‖ number ‖ key in `title` → nothing.
    static let seriesOrder = TreeNumber(19)
}

extension WorkIndexDefinition {
    static let seriesOrder = WorkIndexDefinition(
        index: WorkOrder.series.index, name: "series-order", words: "the order by series", letter: "s", order: .series,
        firstKeyWithoutValue: [0xFF],
        addKeys: { work, keys in
            let series = work.work.series.first
            keys.add(WorkOrder.series.index) {
                $0.append(contentsOf: series.map(LibraryKey.series) ?? LibraryKey.noSeries)
            }
        },
        heading: { key, _ in key.first == 0xFF ? .none : .folded(key) })
}

extension LibraryKey {
    /// The head of a key in `seriesOrder` or `seriesWorks`.
    static func series(_ series: SeriesMembership) -> [UInt8] {
        Self.series(namePrefix(series.name), number: series.number)
    }

    /// The same with the folded name at hand.
    static func series(_ name: [UInt8], number: String?) -> [UInt8] { name + SeriesNumber.key(number) }

    /// Works without a series come last.
    fileprivate static let noSeries = [0xFF, separator] + [UInt8](repeating: 0xFF, count: SeriesNumber.byteCount)
}

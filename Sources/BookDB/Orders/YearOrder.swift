import RecordStore
import StorageEngine

extension WorkOrder {
    /// By the year of first publication, earliest first.
    public static let year = WorkOrder("year", .order(LibraryTree.yearOrder, head: .bytes(2)))
}

extension LibraryTree {
    /// Year ‖ key in `title` → nothing.
    static let yearOrder = TreeNumber(17)
}

extension WorkIndexDefinition {
    static let yearOrder = WorkIndexDefinition(
        index: WorkOrder.year.index, name: "year-order", words: "the order by year", letter: "y", order: .year,
        firstKeyWithoutValue: [0xFF, 0xFF],
        addKeys: { work, keys in
            let number = LibraryKey.number(ofYear: work.work.firstPublicationYear)
            keys.add(WorkOrder.year.index) { $0.append(bigEndian: number) }
        },
        heading: { key, _ in
            // By decade, which divides a century of books into as many headings as a screen has room for.
            guard let year = LibraryKey.year(key) else { return .none }
            let decade = (year - (year < 0 ? 9 : 0)) / 10 * 10
            var bound: [UInt8] = []
            bound.append(bigEndian: LibraryKey.number(ofYear: min(decade + 10, Int(Int16.max))))
            return SectionHeading(label: "\(decade)s", upperBound: bound)
        },
        word: { LibraryKey.year(.bigEndian(KeyStretch.firstNumber($0))).map { String($0) } })
}

extension LibraryKey {
    /// What a key in `yearOrder` begins with: works without a year come last.
    fileprivate static func number(ofYear year: Int?) -> UInt16 {
        year.map { UInt16(min(max($0, -32_768), 32_766) + 32_768) } ?? .max
    }

    /// The year in a key of `yearOrder`.
    fileprivate static func year(_ key: [UInt8]) -> Int? {
        let number = key.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        return key.count < 2 || number == Int(UInt16.max) ? nil : number - 32_768
    }
}

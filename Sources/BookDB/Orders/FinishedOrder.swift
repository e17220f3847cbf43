import RecordStore
import StorageEngine

extension WorkOrder {
    /// By the day the reader finished the work, latest first.
    public static let finished = WorkOrder("finished", .order(LibraryTree.finishedOrder, head: .bytes(4)))
}

extension LibraryTree {
    /// The day finished, inverted so that the latest come first ‖ key in `title` → nothing.
    static let finishedOrder = TreeNumber(16)
}

extension WorkIndexDefinition {
    static let finishedOrder = WorkIndexDefinition(
        index: WorkOrder.finished.index, name: "finished-order", words: "the order by day finished", letter: "f",
        order: .finished,
        needs: [.entry],
        firstKeyWithoutValue: [0xFF, 0xFF, 0xFF, 0xFF],
        addKeys: { work, keys in
            let number = LibraryKey.number(of: work.entry?.dateFinished)
            keys.add(WorkOrder.finished.index) { $0.append(bigEndian: number) }
        },
        heading: { key, _ in
            // By calendar year, latest first.
            guard let day = LibraryKey.finished(key), let start = day.startOfYear, start.daysSince1970 > .min else {
                return .none
            }
            let before = Day(daysSince1970: start.daysSince1970 - 1)
            var bound: [UInt8] = []
            bound.append(bigEndian: LibraryKey.number(of: before))
            return SectionHeading(label: String(start.year), upperBound: bound)
        },
        word: { LibraryKey.finished(.bigEndian(KeyStretch.firstNumber($0)))?.description })
}

extension LibraryKey {
    /// What a key in `finishedOrder` begins with: works without a day come last.
    fileprivate static func number(of day: Day?) -> UInt32 {
        ~(day.map { UInt32(bitPattern: $0.daysSince1970) ^ 1 << 31 } ?? 0)
    }

    /// The day in a key of `finishedOrder`.
    fileprivate static func finished(_ key: [UInt8]) -> Day? {
        let number = key.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return key.count < 4 || number == .max ? nil : Day(daysSince1970: Int32(bitPattern: ~number ^ 1 << 31))
    }
}

import RecordStore
import StorageEngine

extension WorkOrder {
    /// Newest first.
    public static let added = WorkOrder("added", .order(LibraryTree.addedOrder, head: .bytes(8)))
}

extension LibraryTree {
    /// Milliseconds since 1970, inverted so that the newest come first ‖ key in `title` → nothing.
    static let addedOrder = TreeNumber(3)
}

extension WorkIndexDefinition {
    static let addedOrder = WorkIndexDefinition(
        index: WorkOrder.added.index, name: "added-order", words: "the order by date", letter: "d", order: .added,
        addKeys: { work, keys in
            let number = LibraryKey.number(of: work.work.added)
            keys.add(WorkOrder.added.index) { $0.append(bigEndian: number) }
        },
        heading: { key, _ in
            // By calendar year, latest first: the last moment of the year before is the first that comes behind.
            guard let start = LibraryKey.added(key).day?.startOfYear else { return .none }
            let before = Milliseconds(since1970: Int64(start.daysSince1970) * Milliseconds.ofDay - 1)
            return SectionHeading(label: String(start.year), upperBound: .bigEndian(LibraryKey.number(of: before)))
        },
        word: { LibraryKey.added(.bigEndian(KeyStretch.firstNumber($0))).day?.description })
}

extension LibraryKey {
    /// What a key in `addedOrder` begins with.
    fileprivate static func number(of added: Milliseconds) -> UInt64 {
        // Flipping the sign bit makes the order of the bytes that of the numbers; inverting puts the newest first.
        ~(UInt64(bitPattern: added.since1970) ^ 1 << 63)
    }

    /// The time in a key of `addedOrder`.
    static func added(_ key: [UInt8]) -> Milliseconds {
        Milliseconds(since1970: Int64(bitPattern: ~key.number(at: 0) ^ 1 << 63))
    }
}

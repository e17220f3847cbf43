/// Items that take room, in the order of their last use.
///
/// Always true: `byteCount` is the sum of the items'. Setting and finding cost a look-up; `shrink` sorts all items, so that it pays to
/// shrink by an eighth at once.
struct UseTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Item: Sendable {
        var value: Value
        var byteCount: Int
        var used: UInt64
        /// Of items that were used at one time, which was later.
        var turn: UInt64
    }

    private(set) var byteCount = 0
    private var items: [Key: Item] = [:]
    private var turn: UInt64 = 0

    var count: Int { items.count }

    /// What the table takes itself, without what its items count: as dictionaries are, with a fifth of their room free.
    var tableByteCount: Int {
        items.capacity * (MemoryLayout<Key>.stride + MemoryLayout<Item>.stride)
    }

    subscript(key: Key) -> Value? { items[key]?.value }

    mutating func set(_ key: Key, _ value: Value, byteCount: Int, used: UInt64) {
        turn += 1
        self.byteCount += byteCount - (items[key]?.byteCount ?? 0)
        items[key] = Item(value: value, byteCount: byteCount, used: used, turn: turn)
    }

    /// Takes in what is known of an item elsewhere. Its place among those that were used at one time stays.
    ///
    /// - Parameter time: now. A use that is yet to come is one by a clock that was set back since, and what is known elsewhere counts.
    mutating func learn(_ key: Key, _ value: Value, byteCount: Int, used: UInt64, at time: UInt64) {
        guard let index = items.index(forKey: key) else { return set(key, value, byteCount: byteCount, used: used) }
        self.byteCount += byteCount - items.values[index].byteCount
        items.values[index].byteCount = byteCount
        let known = items.values[index].used
        items.values[index].used = known > time ? used : max(known, used)
    }

    /// Finds an item, and has it used.
    mutating func use(_ key: Key, at time: UInt64) -> Value? {
        guard let index = items.index(forKey: key) else { return nil }
        turn += 1
        items.values[index].used = time
        items.values[index].turn = turn
        return items.values[index].value
    }

    mutating func remove(_ key: Key) {
        guard let item = items.removeValue(forKey: key) else { return }
        byteCount -= item.byteCount
    }

    mutating func removeAll(where isToGo: (Key, Value) -> Bool) {
        for (key, item) in items where isToGo(key, item.value) { remove(key) }
    }

    /// Removes the items that were not used for the longest time, until the rest takes no more than so many bytes.
    mutating func shrink(to byteCount: Int) -> [Key] {
        guard self.byteCount > byteCount else { return [] }
        var removed: [Key] = []
        let oldestFirst = items.sorted { ($0.value.used, $0.value.turn) < ($1.value.used, $1.value.turn) }
        for (key, _) in oldestFirst {
            guard self.byteCount > byteCount else { break }
            remove(key)
            removed.append(key)
        }
        return removed
    }
}

import StorageEngine

extension TreeReadable where Self: ~Copyable {
    /// The records that share the values of a unique key, those with the same together, by identifier: neighbours in the order. O(n) entries;
    /// a record is read only where its key begins as another does.
    func sharedKeys(of order: StoredOrder, _ kind: String) throws(LibraryError) -> [[UInt64]] {
        var groups: [[UInt64]] = []
        try translatingErrors {
            var values: [UInt8] = []
            var isGroup = false
            var lastID: UInt64 = 0
            try scan(order.tree) { key, _ in
                let count = max(0, key.byteCount - 8)
                let id = key.trailingIdentifier
                if count > 0, count == values.count, key.extracting(0..<count).order(relativeTo: values) == 0 {
                    if !isGroup { groups.append([lastID]) }
                    groups[groups.count - 1].append(id)
                    isGroup = true
                } else {
                    (values, isGroup) = (key.copyBytes(0..<count), false)
                }
                lastID = id
                return true
            }
        }
        var shared: [[UInt64]] = []
        for group in groups {
            // Of long values a key has the beginning alone.
            var holders: [[UInt8]: [UInt64]] = [:]
            for id in group {
                guard let bytes = try recordBytes(id, ofKind: kind),
                    let whole = try order.wholeValues(of: bytes, (kind, id), in: self)
                else { continue }
                holders[whole, default: []].append(id)
            }
            shared += holders.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
        }
        return shared
    }
}

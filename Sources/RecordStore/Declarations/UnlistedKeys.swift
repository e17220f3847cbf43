import StorageEngine

/// What keeps a unique key unique: finds who has the values of a record already.
///
/// Such an order tells by a descent. While it is being made, the records that are not in it yet are looked through for the first few keys that are
/// asked for of one version or within one transaction, and their keys are kept for the others; a record that is written meanwhile goes to the
/// order at once, wherever the making of it is.
struct UnlistedKeys {
    /// By the order's tree: how many keys were looked for.
    private var lookCounts: [TreeNumber: Int] = [:]

    /// To keep the keys of all records takes as long as some ten looks.
    private static let maximumLookCount = 8

    /// By the order's tree: who is not in it, by the values as its keys have them.
    private var unlisted: [TreeNumber: [[UInt8]: [UInt64]]] = [:]

    /// A record that has the values of a unique key already.
    ///
    /// - Parameters:
    ///   - entry: that of the record in the order.
    ///   - bytes: the record's.
    /// - Returns: `nil` where nobody has them but the record itself; otherwise the one with the lowest identifier.
    mutating func holder(
        of entry: OrderEntry, _ bytes: [UInt8], of id: UInt64, _ kind: String, in order: StoredOrder,
        _ trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> UInt64? {
        let values = Array(entry.key.dropLast(8))
        var candidates: [UInt64] = []
        var isListed: Set<UInt64> = []
        for key in try trees.keys(of: order.tree, prefix: values, after: nil, limit: .max)
        where key.count == values.count + 8 {
            candidates.append(key.number(at: values.count))
            isListed.insert(key.number(at: values.count))
        }
        if let builtTo = order.builtTo {
            let lookCount = lookCounts[order.tree, default: 0]
            if unlisted[order.tree] == nil, lookCount < Self.maximumLookCount, let look = KeyLook(order, bytes) {
                lookCounts[order.tree] = lookCount + 1
                if let found = try look.first(ofKind: kind, after: builtTo, besides: id, in: trees) {
                    candidates.append(found)
                }
            } else {
                if unlisted[order.tree] == nil {
                    unlisted[order.tree] = try Self.keys(of: order, kind, after: builtTo, in: trees)
                }
                candidates += unlisted[order.tree]?[values] ?? []
            }
        }
        // A key that is full may be the beginning of the longer values of another record.
        let isInKey = values.count < order.declaration.textByteCount
        let whole = try? order.wholeValues(of: bytes, (kind, id), in: trees)
        for candidate in candidates.sorted() where candidate != id {
            // Long values are in a key only by their beginnings; who was read before may have changed since.
            if isListed.contains(candidate), isInKey, whole?.count == values.count { return candidate }
            guard let other = try trees.recordBytes(candidate, ofKind: kind) else { continue }
            if let whole, try order.wholeValues(of: other, (kind, candidate), in: trees) == whole { return candidate }
        }
        return nil
    }

    private static func keys(
        of order: StoredOrder, _ kind: String, after id: UInt64, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> [[UInt8]: [UInt64]] {
        var found: [[UInt8]: [UInt64]] = [:]
        try trees.forEachRecord(ofKind: kind, after: id) { (id, bytes) throws(LibraryError) in
            guard case .success(let entries) = try order.entries(of: bytes, (kind, id), in: trees) else { return }
            for entry in entries { found[Array(entry.key.dropLast(8)), default: []].append(id) }
        }
        return found
    }
}

extension StoredOrder {
    /// The values of a unique key that a record has, whole; `nil` for one that has none, or that cannot be read.
    func wholeValues(
        of bytes: [UInt8], _ record: (kind: String, id: UInt64), in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> [UInt8]? {
        guard var fields = try? RecordFields(bytes) else { return nil }
        try fields.complete(for: [self], of: record, in: trees)
        return try? declaration.wholeValues(of: fields)
    }

    /// Whether a record that changes keeps a unique key that it has. Of long values a key of the tree has only the beginnings.
    func keeps(
        _ entry: OrderEntry, of bytes: [UInt8], from stored: [UInt8], _ old: [OrderEntry],
        _ record: (kind: String, id: UInt64), in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> Bool {
        guard old.contains(where: { $0.order == entry.order && $0.key == entry.key }) else { return false }
        guard entry.key.count - 8 >= declaration.textByteCount else { return true }
        return try wholeValues(of: stored, record, in: trees) == wholeValues(of: bytes, record, in: trees)
    }

    /// Whether whoever writes a record puts it into the order: also ahead of its making where it keeps a key unique.
    func isWritten(_ id: UInt64) -> Bool { takes(id) || declaration.isUnique }

    /// The names of the fields of a unique key, as far as the library has them.
    func fieldNames(of kind: String, in trees: borrowing some TreeReadable & ~Copyable) -> [String] {
        let fields = trees.storedFields(of: Array(kind.utf8))
        return declaration.components.map { component in
            component.computed?.givenName
                ?? FieldNumber.number(ofTag: component.tag).flatMap { fields.field(numbered: $0)?.name } ?? name
        }
    }
}

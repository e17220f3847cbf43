import StorageEngine

/// A type of the app's own records in a load: what the library keeps of its records, which the load adds to.
final class LoadedKind<Value: Record> {
    let kind: RecordKind<Value>
    /// Whichever version of the app declared them.
    let links: [StoredLink]
    let orders: [StoredOrder]
    private let isNewToLibrary: Bool
    private var unlistedKeys = UnlistedKeys()

    /// - Throws: `LibraryError.schemaMismatch` when the library keeps other fields, indexes, orders or links than the type declares.
    init(_ kind: RecordKind<Value>, _ links: [StoredLink], in version: Version) throws(LibraryError) {
        self.kind = kind
        self.links = links
        let stored = try version.storedOrderEntries(of: kind.nameBytes)
        // Those that somebody who could not make their keys has set aside are made again by somebody who can.
        orders = stored.compactMap(\.order).filter { version.canMake($0.declaration, ofKind: kind.name) }
        isNewToLibrary = try kind.positions(in: version).isEmpty
        let filing = try LibraryMeta.filing(version)
        let fields = version.storedFields(of: kind.nameBytes)
        guard version.kindTree(kind.name) != nil, try kind.joinedFields(in: version).fields == fields,
            stored.allSatisfy({ $0.head.builtTo == 0 || isKeptUp($0) }),
            kind.orders.allSatisfy({ orders.contains($0.filed(by: filing)) }), hasDeclaredLinks
        else {
            throw .schemaMismatch(
                "The library does not keep the fields, orders, keys and links of \(kind.name) as they are declared, and a load cannot make them. "
                    + "Name the type before it begins: store.load(\(Value.self).self) { … }; or another type called \(kind.name) was named after it, "
                    + "which declares others: give each a load of its own.")
        }
    }

    private func isKeptUp(_ entry: StoredOrderEntry) -> Bool { entry.order.map(orders.contains) ?? false }

    private var hasDeclaredLinks: Bool {
        kind.links.allSatisfy { declared in
            let stored = links.filter { $0.field.isPlace(of: declared.field) }
            guard declared.action != .keep else { return stored.isEmpty }
            return stored.contains {
                $0.target == declared.target && $0.field == declared.field && $0.action == declared.action
            }
        } && !kind.endedLinks.contains { ended in links.contains { $0.field.isPlace(of: ended) } }
    }

    /// The unique keys of a new record.
    ///
    /// - Parameters:
    ///   - entries: that it has in the orders.
    ///   - loaded: the records of the load that have a unique key, of whatever type.
    /// - Throws: `LibraryError.notUnique` when another record has one of them.
    func uniqueKeys(
        of bytes: [UInt8], _ id: ID<Value>, _ entries: [OrderEntry], besides loaded: [KeyDigest: UInt64],
        in version: Version
    ) throws(LibraryError) -> [KeyDigest] {
        var digests: [KeyDigest] = []
        for entry in entries where orders[entry.order].declaration.isUnique {
            let order = orders[entry.order]
            guard let values = try order.wholeValues(of: bytes, (kind.name, id.rawValue), in: version) else { continue }
            let digest = KeyDigest(of: values, in: order.tree)
            var holder = loaded[digest]
            if holder == nil, !isNewToLibrary {
                holder = try unlistedKeys.holder(of: entry, bytes, of: id.rawValue, kind.name, in: order, version)
            }
            if let holder {
                throw order.notUnique(kind.name, heldBy: holder, declaredBy: Value.self, in: version)
            }
            digests.append(digest)
        }
        return digests
    }
}

/// Stands for a unique key of a record while a load goes on: a hash of 128 bits with a secret of the process, so that nobody can find two
/// keys with the same. The keys themselves would need several times the memory.
struct KeyDigest: Hashable {
    private let high: Int
    private let low: Int

    /// - Parameters:
    ///   - values: of the fields of the key.
    ///   - order: the tree of its order.
    init(of values: [UInt8], in order: TreeNumber) {
        var hasher = Hasher()
        hasher.combine(order)
        hasher.combine(values)
        low = hasher.finalize()
        // Another hash, and not one that follows from the first.
        var second = Hasher()
        second.combine(values)
        second.combine(order)
        high = second.finalize()
    }
}

import StorageEngine

/// Who names whom, asked level by level. Where no order has those together who name one record, all of a kind are looked through at each level; from the
/// second on they are known.
struct LinkingRecords {
    /// By the key of a link: those who name a record, by that.
    private var known: [[UInt8]: [UInt64: [UInt64]]] = [:]
    private var lookedThrough: Set<[UInt8]> = []

    /// So many links of a kind are kept in memory. Of more, all are looked through again.
    private static let maximumCount = 1_000_000

    /// The records that name one of some by a link, with what they name, until `body` returns false.
    mutating func forEach(
        by link: StoredLink, toAnyOf targets: [UInt64], in trees: borrowing some TreeReadable & ~Copyable,
        _ body: (_ id: UInt64, _ target: UInt64) -> Bool
    ) throws(LibraryError) {
        if known[link.key] == nil, lookedThrough.contains(link.key) { try learn(link, in: trees) }
        if let linking = known[link.key] {
            for target in targets {
                for id in linking[target] ?? [] where !body(id, target) { return }
            }
            return
        }
        if try trees.wholeOrder(by: link) == nil { lookedThrough.insert(link.key) }
        try trees.forEachRecord(linkedBy: link, toAnyOf: targets, body)
    }

    private mutating func learn(
        _ link: StoredLink, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) {
        var (linking, count) = ([UInt64: [UInt64]](), 0)
        try trees.forEachLink(link) { id, named in
            for target in named { linking[target, default: []].append(id) }
            count += named.count
            return count <= Self.maximumCount
        }
        if count <= Self.maximumCount { known[link.key] = linking } else { lookedThrough.remove(link.key) }
    }
}

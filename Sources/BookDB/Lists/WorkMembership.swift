import RecordStore
import StorageEngine

/// That a work is in a list which is a stretch of a tree: its key there begins with a prefix and comes before the end.
struct WorkMembership: Hashable, Sendable {
    let index: WorkIndex
    let prefix: [UInt8]
    /// The first key behind those of the list; `nil` at the end of the tree.
    let end: [UInt8]?

    init(_ index: WorkIndex, prefix: [UInt8]) {
        self.init(index, prefix: prefix, end: LibraryKey.end(ofPrefix: prefix))
    }

    init(_ index: WorkIndex, prefix: [UInt8], end: [UInt8]?) {
        (self.index, self.prefix, self.end) = (index, prefix, end)
    }

    /// Whether the work that has these keys is in the list.
    func holds(_ work: WorkKeys) -> Bool {
        guard let key = work.bytes(in: index, beginningWith: prefix) else { return false }
        return end.map { key.lexicographicallyPrecedes($0) } ?? true
    }

    /// The works of the list. O(their number).
    func works(in version: Version) throws(LibraryError) -> Set<UInt64> {
        var works: Set<UInt64> = []
        let positions = try version.positions(of: index.tree, from: prefix, to: end)
        try translatingErrors {
            try version.scan(index.tree, positions: positions) { key, _ in
                if key.byteCount >= 8 { works.insert(key.loadBigEndian(at: key.byteCount - 8)) }
                return true
            }
        }
        return works
    }
}

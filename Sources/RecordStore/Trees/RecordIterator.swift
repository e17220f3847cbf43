import StorageEngine

/// The entries of a tree of one version, copied out some at a time.
package struct RecordIterator {
    private let version: Version
    private let tree: TreeNumber
    private var entries: [(key: [UInt8], value: [UInt8])] = []
    private var next = 0
    private var last: [UInt8]?

    private static let limit = 1 << 20

    package init(_ version: Version, _ tree: TreeNumber) {
        self.version = version
        self.tree = tree
    }

    /// `nil` behind the last entry.
    package mutating func nextEntry() throws(LibraryError) -> (key: [UInt8], value: [UInt8])? {
        if next == entries.count {
            entries = []
            next = 0
            var byteCount = 0
            try translatingErrors {
                try version.scan(tree, after: last) { key, value in
                    entries.append((key.copyBytes(0..<key.byteCount), value.copyBytes(0..<value.byteCount)))
                    byteCount += key.byteCount + value.byteCount + 64
                    return byteCount < Self.limit
                }
            }
            guard let end = entries.last else { return nil }
            last = end.key
        }
        defer { next += 1 }
        return entries[next]
    }
}

/// One change of a salvaged commit, copied out.
public enum SalvagedOperation: Sendable {
    case put(tree: TreeNumber, key: [UInt8], facets: FacetSet, value: [UInt8])
    case remove(tree: TreeNumber, key: [UInt8])
    case removeAll(tree: TreeNumber)
}

/// A commit of a damaged store's log.
public struct SalvagedCommit: Sendable {
    public let number: UInt64
    private let payload: [UInt8]

    init(number: UInt64, payload: [UInt8]) {
        self.number = number
        self.payload = payload
    }

    /// In the order they were made; those of `trees` only.
    public func forEachOperation(
        in trees: Set<TreeNumber>, _ body: (SalvagedOperation) throws(StorageError) -> Void
    ) throws(StorageError) {
        // A payload that is none was found out before.
        _ = try payload.withBytes { (payload) throws(StorageError) in
            try Operation.forEach(in: payload) { (operation) throws(StorageError) in
                switch operation {
                case .put(let tree, let key, let facets, let value):
                    guard trees.contains(tree) else { return }
                    try body(
                        .put(
                            tree: tree, key: key.copyBytes(), facets: FacetSet(rawValue: facets),
                            value: value.copyBytes()))
                case .remove(let tree, let key):
                    guard trees.contains(tree) else { return }
                    try body(.remove(tree: tree, key: key.copyBytes()))
                case .clear(let tree):
                    guard trees.contains(tree) else { return }
                    try body(.removeAll(tree: tree))
                case .declare, .note: break
                }
            }
        }
    }
}

/// The commits of a damaged store that its snapshot does not contain, in order. Holds one commit at a time.
public struct SalvagedCommits {
    private let commits: [LogSalvage.Commit]
    private let fileSystem: any FileSystem
    private var next = 0
    private var reader: LogReader?

    init(_ commits: [LogSalvage.Commit], _ fileSystem: any FileSystem) {
        self.commits = commits
        self.fileSystem = fileSystem
    }

    /// `nil` behind the last one. Throws when a frame that could be read can no longer be.
    public mutating func nextCommit() throws(StorageError) -> SalvagedCommit? {
        guard next < commits.count else { return nil }
        let commit = commits[next]
        next += 1
        if reader?.path != commit.path { reader = LogReader(try SalvageFile(commit.path, fileSystem)) }
        let frame = try reader?.frame(at: commit.byteOffset, salt: commit.salt)
        let payload = try frame.flatMap { (frame) throws(StorageError) in try reader?.payload(of: frame) }
        guard let payload else {
            throw .damaged(
                Damage(
                    file: commit.path, byteOffset: commit.byteOffset,
                    finding: "commit \(commit.number) could be read a moment ago and no longer can"))
        }
        return SalvagedCommit(number: commit.number, payload: payload)
    }
}

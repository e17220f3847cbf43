import StorageEngine

/// Makes a store step by step and keeps what it held after each commit.
struct StoreBuilder {
    struct Put: Sendable {
        let tree: UInt32
        let key: [UInt8]
        /// `nil` removes.
        let value: [UInt8]?
        var facets: UInt16 = 0
    }

    let disk = RotDisk()
    let trees: [TreeDeclaration]
    private let identifier: [UInt8]
    /// Behind every value.
    private let suffix: [UInt8]
    private var database: Database
    private var entries: [UInt32: [[UInt8]: StoreContents.Item]] = [:]
    private(set) var contents: [Int: StoreContents] = [:]
    private(set) var durableCommit = 0
    /// The store as it was at earlier moments.
    private(set) var elders: [StoreImage] = []

    init(_ trees: [TreeDeclaration], identifier: [UInt8], suffix: [UInt8] = []) throws {
        self.trees = trees
        self.identifier = identifier
        self.suffix = suffix
        database = try Self.open(disk, trees, identifier)
        noteContents(0)
    }

    private static func open(
        _ disk: RotDisk, _ trees: [TreeDeclaration], _ identifier: [UInt8]
    ) throws -> Database {
        var options = Options(compaction: .manual, storeIdentifier: identifier)
        options.keepsHistory = false
        return try Database.open(at: StoreImage.path, trees: trees, options: options, fileSystem: disk)
    }

    private mutating func noteContents(_ commit: Int) {
        let entries = entries
        contents[commit] = StoreContents(
            trees: trees.map { StoreContents.Tree($0, entries[$0.number.rawValue] ?? [:]) })
    }

    mutating func commit(_ durability: Durability = .flushed, _ puts: [Put]) async throws {
        let puts = puts.map { Put(tree: $0.tree, key: $0.key, value: $0.value.map { $0 + suffix }, facets: $0.facets) }
        try await database.write(durability) { transaction in
            for put in puts {
                if let value = put.value {
                    try transaction.put(
                        value, forKey: put.key, facets: FacetSet(rawValue: put.facets), in: TreeNumber(put.tree))
                } else {
                    try transaction.remove(put.key, in: TreeNumber(put.tree))
                }
            }
        }
        note(puts)
        if durability == .flushed { durableCommit = Int(database.version.commitNumber) }
    }

    private mutating func note(_ puts: [Put]) {
        for put in puts {
            entries[put.tree, default: [:]][put.key] = put.value.map {
                StoreContents.Item(key: put.key, value: $0, facets: put.facets)
            }
        }
        noteContents((contents.keys.max() ?? 0) + 1)
    }

    /// A commit whose flush fails, so that the store is rescued into the next generation; a crash keeps the old files.
    mutating func commitByRescue(_ puts: [Put]) async throws {
        disk.refuse { call, name in
            (call == .flush && name == StoreImage.name("log-", 2)) || (call == .remove && !name.contains("tmp"))
        }
        try await commit(.flushed, puts)
        disk.refuse(nil)
    }

    /// A commit whose flush fails, and then the rescue: it is not acknowledged, and a segment stays that holds nothing.
    mutating func commitInVain(_ puts: [Put]) async throws {
        disk.refuse { call, name in
            (call == .flush && name == StoreImage.name("log-", 2)) || (call == .rename && name.hasPrefix("snapshot-"))
                || (call == .remove && !name.contains("tmp"))
        }
        do {
            try await commit(.flushed, puts)
            throw RotViolation("a commit was acknowledged that is nowhere")
        } catch is StorageError { note(puts) }
        disk.refuse(nil)
    }

    mutating func compact() async throws {
        try await database.compact()
        durableCommit = Int(database.version.commitNumber)
    }

    /// A compaction that a full disk stops before the rename: one more segment.
    mutating func abortCompaction() async throws {
        disk.refuse { call, name in call == .rename && name.hasPrefix("snapshot-") }
        do {
            try await database.compact()
            throw RotViolation("the compaction went through although the disk refused the rename")
        } catch is StorageError {}
        disk.refuse(nil)
        durableCommit = Int(database.version.commitNumber)
    }

    /// A compaction that a crash stops between the rename and the unlinks.
    mutating func compactKeepingOld() async throws {
        disk.refuse { call, name in call == .remove && !name.contains("tmp") }
        try await compact()
        disk.refuse(nil)
    }

    mutating func reopen() async throws {
        try await close()
        database = try Self.open(disk, trees, identifier)
    }

    mutating func close() async throws {
        try await database.close()
        durableCommit = Int(database.version.commitNumber)
    }

    mutating func keepElder() { elders.append(disk.image) }

    /// The files as a crash at this moment leaves them, when the device has written everything.
    func crash() async throws -> StoreImage {
        let image = disk.image
        try await database.close()
        return image
    }
}

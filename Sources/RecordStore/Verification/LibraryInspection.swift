#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import StorageEngine

/// What a library holds, where its bytes are, and what opening it took.
public struct LibraryInspection: Sendable {
    public struct Tree: Sendable {
        public let name: String

        /// Entries as of the newest commit.
        public let entryCount: Int

        /// Levels of pages in the snapshot file; 0 while the tree is only in the log.
        public let depth: Int

        public let pageByteCount: Int

        /// The share of the pages' bytes in use, 0...1.
        public let fill: Double
    }

    /// A kind of the app's own records, and the bytes of its pages.
    public struct Kind: Sendable {
        public let kind: StoredKind

        /// Of the records, 0 while they are only in the log.
        public let byteCount: Int

        /// Of each of its orders, in turn.
        public let orderByteCounts: [Int]
    }

    public struct File: Sendable {
        public let name: String

        /// `snapshot`, `search`, `log`, `lock`, `history`, `temporary`, `aside` (kept evidence) or `foreign`.
        public let role: String

        public let byteCount: Int
    }

    /// Something that happened to the library.
    public struct Event: Sendable {
        /// `opened`, to be written to; `closed`; `rescued`, into new files behind a log that could not be written; `cut`, when an
        /// opening took off the log what no commit needed.
        public let kind: String

        public let date: Date

        /// The newest commit then.
        public let commitNumber: UInt64

        /// Of the log that was replayed, or of what was cut off.
        public let byteCount: Int

        public let processIdentifier: Int32
    }

    public let path: String
    public let formatVersion: UInt32
    public let commitNumber: UInt64
    public let lastCommit: Date?

    /// As of the newest commit.
    package let snapshot: Snapshot

    public let trees: [Tree]

    /// The kinds of the app's own records, and the bytes that each takes in the snapshot file, by name.
    public let kinds: [Kind]

    public let files: [File]

    /// Of the blobs that are cached beside the library, which are no part of it; see `BlobCache`.
    public let cacheFileCount: Int
    public let cacheByteCount: Int

    /// The last openings, closings, rescues and cuts, oldest first. Openings that wrote nothing are not among them.
    public let history: [Event]

    /// Descriptions, notes and reviews, compressed.
    public let textByteCount: Int

    /// What is wrong with the heads of the files, each a sentence. Pages are not read by an inspection.
    public let damage: [String]

    /// Whom its permissions let read it: `owner`, `group` or `everyone`; `nil` where files have none. Permissions of the
    /// folders above may let fewer.
    public let readers: String?

    /// Its permissions let its group write to it.
    public let isSharedWithGroup: Bool

    /// What opening did and how long it took.
    public let opening: OpeningReport

    public var byteCount: Int { files.reduce(0) { $0 + $1.byteCount } }

    public var snapshotByteCount: Int { byteCount(ofRole: "snapshot") }

    /// Commits that are not part of the snapshot file yet.
    public var logByteCount: Int { byteCount(ofRole: "log") }

    /// Of the search file, which can be made again.
    public var searchByteCount: Int { byteCount(ofRole: "search") }

    /// Whether folding the log into the snapshot would make the next opening noticeably quicker.
    public var isWorthCompacting: Bool { opening.logByteCount > max(snapshotByteCount / 2, 1 << 20) }

    init(_ path: String, _ database: Database, _ fileSystem: any FileSystem) throws(LibraryError) {
        let snapshot = Snapshot(database.version)
        let storage = try translatingErrors { try StoreInspection(at: path, fileSystem: fileSystem) }
        self.path = path
        formatVersion = storage.formatVersion
        commitNumber = snapshot.commitNumber
        opening = database.opening
        lastCommit =
            opening.lastCommitTime == 0
            ? nil : Milliseconds(clamping: opening.lastCommitTime).date
        self.snapshot = snapshot
        var trees: [Tree] = []
        for tree in storage.trees {
            trees.append(
                Tree(
                    name: tree.declaration.name, entryCount: try snapshot.version.count(of: tree.declaration.number),
                    depth: tree.height, pageByteCount: tree.pageByteCount, fill: tree.fill))
        }
        // Kinds and orders that came since the snapshot.
        let inFile = Set(storage.trees.map(\.declaration.number))
        for tree in snapshot.version.declarations where !inFile.contains(tree.number) {
            trees.append(
                Tree(
                    name: tree.name, entryCount: try snapshot.version.count(of: tree.number), depth: 0,
                    pageByteCount: 0, fill: 0))
        }
        self.trees = trees
        let byteCounts = Dictionary(
            storage.trees.map { ($0.declaration.number, $0.pageByteCount) }, uniquingKeysWith: { first, _ in first })
        kinds = try snapshot.kinds.map { kind in
            Kind(
                kind: kind, byteCount: byteCounts[kind.tree] ?? 0,
                orderByteCounts: kind.orders.map { byteCounts[$0.tree] ?? 0 })
        }
        files = storage.files.map { File(name: $0.name, role: $0.role.rawValue, byteCount: $0.byteCount) }
        cacheFileCount = storage.cacheFileCount
        cacheByteCount = storage.cacheByteCount
        history = storage.history.map { event in
            Event(
                kind: "\(event.kind)", date: Milliseconds(clamping: event.time).date,
                commitNumber: event.commitNumber, byteCount: event.byteCount,
                processIdentifier: event.processIdentifier)
        }
        textByteCount = storage.coldByteCount
        damage = storage.damage.map(\.description)
        readers = storage.readers?.rawValue
        isSharedWithGroup = storage.isSharedWithGroup
    }

    private func byteCount(ofRole role: String) -> Int {
        files.reduce(0) { $0 + ($1.role == role ? $1.byteCount : 0) }
    }
}

extension RecordLibrary {
    /// Looks at a library without a lock and without changing it. Reads a few pages, and replays the log.
    ///
    /// - Throws: what opening the library read-only throws.
    public static func inspect(at path: String) throws(LibraryError) -> LibraryInspection {
        try inspect(at: path, fileSystem: PosixFileSystem())
    }

    package static func inspect(at path: String, fileSystem: any FileSystem) throws(LibraryError) -> LibraryInspection {
        let settings = LibrarySettings(.readOnly, fileSystem: fileSystem)
        return try LibraryInspection(path, open(path, settings).database, fileSystem)
    }
}

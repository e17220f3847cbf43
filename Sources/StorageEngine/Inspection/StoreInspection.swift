/// Where a store's bytes are, read from its directory and the heads of its files: costs a few pages, whatever the size.
///
/// Pages and commits are not read, so they may be damaged all the same; `Verifier` reads them.
public struct StoreInspection: Sendable {
    public struct TreeStatistics: Sendable {
        public let declaration: TreeDeclaration
        public let entryCount: Int
        /// Levels of pages; 0 for an empty tree.
        public let height: Int
        public let leafPageCount: Int
        public let branchPageCount: Int
        public let keyByteCount: Int
        public let valueByteCount: Int
        /// Bytes in use within the pages.
        public let usedByteCount: Int

        public var pageByteCount: Int { (leafPageCount + branchPageCount) * NodeLayout.pageByteCount }
        /// The share of the pages' bytes in use, 0...1.
        public var fill: Double { pageByteCount == 0 ? 0 : Double(usedByteCount) / Double(pageByteCount) }
    }

    public struct FileStatistics: Sendable {
        public enum Role: String, Sendable {
            case snapshot, search, log, lock, history, temporary, aside, restore, foreign
        }

        public let name: String
        public let role: Role
        public let byteCount: Int
    }

    /// Whom the permissions of a store's directory and files let read it. Permissions of the directories above may let fewer.
    public enum Readers: String, Sendable {
        case owner, group, everyone
    }

    public let formatVersion: UInt32
    public let storeIdentifier: [UInt8]
    public let generation: UInt64
    /// The newest commit within the snapshot.
    public let snapshotCommitNumber: UInt64
    /// Milliseconds since 1970.
    public let snapshotCreated: UInt64
    /// Of the superblock and the catalogue at the beginning of the snapshot file, and again at its end.
    public let headByteCount: Int
    /// Where the cold region begins, within the snapshot file.
    public let coldByteOffset: Int
    public let coldByteCount: Int
    public let trees: [TreeStatistics]
    /// Those of the store; what is cached beside it is not part of it.
    public let files: [FileStatistics]
    public let cacheFileCount: Int
    /// Of the blobs that are cached beside the store.
    public let cacheByteCount: Int
    /// The last openings, closings, rescues and cuts, oldest first: as far as a file that nothing depends on says.
    public let history: [StoreEvent]

    /// `nil` where files have no permissions.
    public let readers: Readers?
    /// The permissions let its group write to it.
    public let isSharedWithGroup: Bool
    /// What is wrong with the heads of the newest snapshot and of the log behind it.
    public let damage: [Damage]

    public init(at path: String, fileSystem: any FileSystem = PosixFileSystem()) throws(StorageError) {
        let names = StoreFiles(directory: path)
        guard try names.exist(in: fileSystem) else { throw .notFound(path: names.directory) }
        self = try names.lookingAgain(fileSystem) { (contents) throws(StorageError) in
            let found = try StoreInspection(contents, names, fileSystem)
            return (found, finding: found.damage.isEmpty ? nil : found.damage)
        }
    }

    private init(
        _ contents: StoreOpening.Contents, _ names: StoreFiles, _ fileSystem: any FileSystem
    ) throws(StorageError) {
        guard let newest = contents.snapshots.last else {
            throw try contents.missingSnapshot(names, fileSystem)
        }
        let heads = try HeadCheck(names, newest, contents.logs, fileSystem)
        let superblock = heads.superblock
        damage = heads.damage
        formatVersion = Superblock.formatVersion
        storeIdentifier = superblock.store.bytes
        generation = superblock.generation
        snapshotCommitNumber = superblock.commitNumber
        snapshotCreated = superblock.created
        headByteCount = superblock.headPageCount * NodeLayout.pageByteCount
        coldByteOffset = Int(superblock.coldOffset)
        coldByteCount = Int(superblock.coldByteCount)
        trees = superblock.trees.map { tree in
            TreeStatistics(
                declaration: tree.declaration, entryCount: Int(tree.entryCount), height: Int(tree.height),
                leafPageCount: Int(tree.leafPages), branchPageCount: Int(tree.branchPages),
                keyByteCount: Int(tree.keyByteCount), valueByteCount: Int(tree.valueByteCount),
                usedByteCount: Int(tree.usedByteCount))
        }
        files = try Self.files(names, fileSystem)
        let cache = try? BlobFiles(directory: names.cache, store: storeIdentifier, fileSystem: fileSystem).size()
        cacheFileCount = cache?.fileCount ?? 0
        cacheByteCount = cache?.byteCount ?? 0
        history = Self.history(names, fileSystem)
        let permissions = try fileSystem.permissions(of: names.directory)
        readers = try permissions.map { (permissions) throws(StorageError) in
            try Self.readers(names, contents, newest, directory: permissions, fileSystem)
        }
        isSharedWithGroup = permissions.map { $0 & 0o020 != 0 } ?? false
    }

    private static func files(
        _ names: StoreFiles, _ fileSystem: any FileSystem
    ) throws(StorageError) -> [FileStatistics] {
        var files: [FileStatistics] = []
        for name in try fileSystem.names(inDirectory: names.directory).sorted() {
            let kind = StoreFiles.kind(ofName: name)
            guard kind != .cache else { continue }
            let role: FileStatistics.Role =
                switch kind {
                case .snapshot: .snapshot
                case .companion: .search
                case .log: .log
                case .lock, .head: .lock
                case .history, .launches: .history
                case .temporary: .temporary
                case .aside: .aside
                case .staged, .restore, .restored: .restore
                case .cache, .foreign: .foreign
                }
            do throws(StorageError) {
                let file = try fileSystem.openFile(names.directory + "/" + name, .reading)
                defer { file.close() }
                files.append(FileStatistics(name: name, role: role, byteCount: try file.byteCount()))
            } catch {
                // Others may have put anything there: a directory, a link, a file of their own.
                guard role == .foreign else { throw error }
                files.append(FileStatistics(name: name, role: role, byteCount: 0))
            }
        }
        return files
    }

    private static func history(_ names: StoreFiles, _ fileSystem: any FileSystem) -> [StoreEvent] {
        guard let file = try? fileSystem.openFile(names.history, .reading) else { return [] }
        defer { file.close() }
        return (try? StoreHistory.events(in: file)) ?? []
    }

    private static func readers(
        _ names: StoreFiles, _ contents: StoreOpening.Contents, _ newest: UInt64, directory: UInt16,
        _ fileSystem: any FileSystem
    ) throws(StorageError) -> Readers {
        var files: UInt16 = 0
        for path in [names.snapshot(newest)] + contents.logs.map(names.log) {
            files |= try fileSystem.permissions(of: path) ?? 0
        }
        // Who may pass through a directory can open its files by their names, which anybody can guess.
        if directory & 0o001 != 0, files & 0o004 != 0 { return .everyone }
        return directory & 0o010 != 0 && files & 0o040 != 0 ? .group : .owner
    }

    public var byteCount: Int { files.reduce(0) { $0 + $1.byteCount } }
    public var logByteCount: Int { files.filter { $0.role == .log }.reduce(0) { $0 + $1.byteCount } }
}

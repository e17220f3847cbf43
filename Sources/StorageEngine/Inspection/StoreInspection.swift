/// Where a store's bytes are, read from its superblock and directory: costs one page, whatever the size.
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
            case snapshot, search, log, lock, temporary, aside, foreign
        }

        public let name: String
        public let role: Role
        public let byteCount: Int
    }

    public let formatVersion: UInt32
    public let storeIdentifier: [UInt8]
    public let generation: UInt64
    /// The newest commit within the snapshot.
    public let snapshotCommitNumber: UInt64
    /// Milliseconds since 1970.
    public let snapshotCreated: UInt64
    /// Where the cold region begins, within the snapshot file.
    public let coldByteOffset: Int
    public let coldByteCount: Int
    public let trees: [TreeStatistics]
    public let files: [FileStatistics]

    public init(at path: String, fileSystem: any FileSystem = PosixFileSystem()) throws(StorageError) {
        let names = StoreFiles(directory: path)
        switch try fileSystem.kind(of: names.directory) {
        case .absent: throw .notFound(path: path)
        case .file: throw .notAStore(path: path, reason: "it is a file, and a store is a directory")
        case .directory: break
        }
        self = try names.lookingAgain(fileSystem) { (contents) throws(StorageError) in
            (try StoreInspection(contents, names, fileSystem), isSound: true)
        }
    }

    private init(
        _ contents: StoreOpening.Contents, _ names: StoreFiles, _ fileSystem: any FileSystem
    ) throws(StorageError) {
        guard let newest = contents.snapshots.last else {
            throw try contents.missingSnapshot(names, fileSystem)
        }
        let superblock = try SnapshotFile(
            opening: names.snapshot(newest), generation: newest, fileSystem
        ).superblock
        formatVersion = Superblock.formatVersion
        storeIdentifier = superblock.store.bytes
        generation = superblock.generation
        snapshotCommitNumber = superblock.commitNumber
        snapshotCreated = superblock.created
        coldByteOffset = Int(superblock.coldOffset)
        coldByteCount = Int(superblock.coldByteCount)
        trees = superblock.trees.map { tree in
            TreeStatistics(
                declaration: tree.declaration, entryCount: Int(tree.entryCount), height: Int(tree.height),
                leafPageCount: Int(tree.leafPages), branchPageCount: Int(tree.branchPages),
                keyByteCount: Int(tree.keyByteCount), valueByteCount: Int(tree.valueByteCount),
                usedByteCount: Int(tree.usedByteCount))
        }
        var files: [FileStatistics] = []
        for name in try fileSystem.names(inDirectory: names.directory).sorted() {
            let role: FileStatistics.Role =
                switch StoreFiles.kind(ofName: name) {
                case .snapshot: .snapshot
                case .companion: .search
                case .log: .log
                case .lock: .lock
                case .temporary: .temporary
                case .aside: .aside
                case .foreign: .foreign
                }
            let file = try fileSystem.openFile(names.directory + "/" + name, .reading)
            defer { file.close() }
            files.append(FileStatistics(name: name, role: role, byteCount: try file.byteCount()))
        }
        self.files = files
    }

    public var byteCount: Int { files.reduce(0) { $0 + $1.byteCount } }
    public var logByteCount: Int { files.filter { $0.role == .log }.reduce(0) { $0 + $1.byteCount } }
}

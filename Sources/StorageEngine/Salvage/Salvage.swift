/// Everything of a store that can be proved to be what was written, however much of the rest is damaged.
///
/// Trusts nothing, takes no lock and changes nothing. Making one reads every page and the log; entries and commits are then
/// given out one by one. The store as it was is the entries of the snapshot, and on top of them the commits in order.
/// Nobody should write to the store meanwhile.
public struct Salvage: Sendable {
    /// The store's directory.
    public let path: String
    public private(set) var report = SalvageReport()
    private let fileSystem: any FileSystem
    private var pages: SalvagedPages?
    private var trees: [SalvagedTree] = []
    private var log: [LogSalvage.Commit] = []

    /// - Throws: `.notFound`, `.notAStore`, `.newerFormat`, `.unknownFeatures`; `.damaged` when nothing tells what the store's own bytes are;
    ///   `.notPermitted`.
    public init(at path: String, fileSystem: any FileSystem = PosixFileSystem()) throws(StorageError) {
        let files = StoreFiles(directory: path)
        guard try files.exist(in: fileSystem) else { throw .notFound(path: files.directory) }
        self = try files.lookingAgain(fileSystem) { (contents) throws(StorageError) in
            (try Salvage(contents, files, fileSystem), finding: nil as Damage?)
        }
    }

    private init(
        _ contents: StoreOpening.Contents, _ files: StoreFiles, _ fileSystem: any FileSystem
    ) throws(StorageError) {
        self.fileSystem = fileSystem
        path = files.directory
        guard !contents.snapshots.isEmpty || !contents.logs.isEmpty else {
            throw .notAStore(path: files.directory, reason: "it holds no snapshot and no log")
        }
        let heads = try SnapshotHeads(contents.snapshots, files, fileSystem)
        let store = try takeSnapshot(heads, contents, files)
        try takeLog(contents, store, heads, files)
        report.lastCommit = report.lastCommit ?? report.snapshotCommit
    }

    /// The tree's entries in the snapshot, in key order.
    public func entries(in tree: TreeNumber) -> SalvagedEntries {
        SalvagedEntries(pages, trees.first { $0.declaration.number == tree }?.leaves ?? [])
    }

    /// What was committed since the snapshot.
    public func commits() -> SalvagedCommits { SalvagedCommits(log, fileSystem) }

    // MARK: Pieces

    /// Gives the identifier by which the store's own bytes are known.
    private mutating func takeSnapshot(
        _ heads: SnapshotHeads, _ contents: StoreOpening.Contents, _ files: StoreFiles
    ) throws(StorageError) -> StoreIdentifier {
        report.places += heads.places
        report.fellBack = heads.fellBack
        var named: [StoreIdentifier] = []
        if let superblock = heads.superblock {
            named = [superblock.store]
        } else {
            named = try identifiers(contents.logs, files)
        }
        for store in named + heads.likelyIdentifiers {
            guard let file = heads.file, let generation = heads.generation else { break }
            let snapshot = try SnapshotSalvage(
                file, store: store, generation: generation, superblock: heads.superblock)
            // Without a head it takes a page with the right seal to confirm the identifier.
            guard heads.superblock != nil || !snapshot.trees.isEmpty else { continue }
            report.basis = heads.superblock == nil ? .seals : .superblock
            report.generation = generation
            report.snapshotCommit = heads.superblock?.commitNumber
            report.places += snapshot.places
            report.trees = snapshot.trees.map {
                .init(
                    declaration: $0.declaration, savedEntryCount: $0.savedCount, lostEntryCount: $0.lostCount,
                    isCounted: $0.expectedCount != nil)
            }
            trees = snapshot.trees
            pages = SalvagedPages(
                file: file, seal: PageSeal(store: store, generation: generation), pageCount: snapshot.pageCount,
                coldByteCount: snapshot.coldByteCount,
                cold: try cold(
                    file,
                    ColdIdentity(
                        store: store, generation: generation,
                        trailerByteCount: Int(heads.superblock?.blockTrailerByteCount ?? 0)), heads.superblock, trees))
            return store
        }
        noteLackOfSnapshot(heads, files)
        guard let store = named.first else {
            throw .damaged(
                Damage(
                    file: files.directory, byteOffset: 0,
                    finding: "no head of a snapshot or log segment can be read, so nothing can be proved to be its own")
            )
        }
        return store
    }

    /// Nothing was proved of a snapshot: what was found wrong with its heads matters no more.
    private mutating func noteLackOfSnapshot(_ heads: SnapshotHeads, _ files: StoreFiles) {
        var damage = Damage(file: files.directory, byteOffset: 0, finding: "there is no snapshot file")
        if let file = heads.file {
            let finding = file.byteCount == 0 ? "the file is empty" : "no page of the file can be proved"
            damage = Damage(file: file.path, byteOffset: 0, finding: finding)
            report.places.removeAll { $0.damage.file == file.path }
        }
        report.places.append(SalvagedPlace(.snapshot, damage, byteCount: heads.file?.byteCount ?? 0))
    }

    private func cold(
        _ file: SalvageFile, _ identity: ColdIdentity, _ superblock: Superblock?, _ trees: [SalvagedTree]
    ) throws(StorageError) -> SalvagedCold {
        if let superblock { return SalvagedCold(file, identity, superblock) }
        let last = trees.reduce(0) { $1.leaves.reduce($0) { max($0, Int($1.page)) } }
        return try SalvagedCold.search(file, identity, behind: last)
    }

    /// What the heads of the log segments say.
    private func identifiers(_ sequences: [UInt64], _ files: StoreFiles) throws(StorageError) -> [StoreIdentifier] {
        var identifiers: [StoreIdentifier] = []
        for sequence in sequences {
            guard case .success(let header) = try head(sequence, files), !identifiers.contains(header.store) else {
                continue
            }
            identifiers.append(header.store)
        }
        return identifiers
    }

    /// The head of a segment, or what is wrong with it.
    private func head(
        _ sequence: UInt64, _ files: StoreFiles
    ) throws(StorageError) -> Result<LogSegmentHeader, StorageError> {
        let file = try SalvageFile(files.log(sequence), fileSystem)
        let head = try file.bytes(0..<min(file.byteCount, LogSegmentFormat.headerByteCount))
        return head.withBytes { head in
            Result { () throws(StorageError) in try LogSegmentHeader(decoding: head, path: file.path) }
        }
    }

    private mutating func takeLog(
        _ contents: StoreOpening.Contents, _ store: StoreIdentifier, _ heads: SnapshotHeads, _ files: StoreFiles
    ) throws(StorageError) {
        let (superblock, identity) = (heads.superblock, heads.identity)
        let first = superblock?.logSequence
        let known = superblock?.commitNumber ?? (pages == nil ? 0 : nil)
        let sequences = contents.logs.filter { $0 >= first ?? 0 }
        let salvage = try LogSalvage(
            sequences, of: store, first: first, after: known,
            closed: superblock.flatMap { StoreHistory.closedCommit(behind: $0, files, fileSystem) },
            newest: contents.snapshots.last ?? 0,
            estrangement: { header, path in
                guard let superblock, let identity else { return nil }
                return header.estrangement(
                    in: path, generation: superblock.generation, identity: identity,
                    logChecksum: superblock.logChecksum)
            }, files: files, fileSystem)
        log = salvage.commits
        report.logCommitCount = log.count
        report.lastCommit = salvage.lastCommit
        report.missingCommits = salvage.missing
        report.tornByteCount = salvage.tornByteCount
        report.declaredTrees = salvage.declaredTrees
        report.changedTrees = salvage.changedTrees
        report.places += salvage.places
        report.lostEnd = try lostEnd(sequences.filter { !salvage.abandoned.contains($0) }, store, first ?? 1, files)
    }

    /// What is wrong with the newest segment, when no commit was found in it and its head does not say which precede it.
    private func lostEnd(
        _ sequences: [UInt64], _ store: StoreIdentifier, _ first: UInt64, _ files: StoreFiles
    ) throws(StorageError) -> Damage? {
        guard let newest = sequences.last else {
            return Damage(file: files.log(first), byteOffset: 0, finding: "the segment is missing")
        }
        let path = files.log(newest)
        guard log.last?.path != path else { return nil }
        switch try head(newest, files) {
        case .success(let header): return header.misplacement(in: path, store: store, sequence: newest)
        case .failure(.damaged(let damage)): return damage
        case .failure(let error): throw error
        }
    }
}

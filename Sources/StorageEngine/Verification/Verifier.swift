/// Checks a store's raw files without opening the store: every superblock, page, block and frame, and what must hold
/// between them. Takes no lock and changes nothing; damaged or hostile bytes become findings.
public struct Verifier {
    let files: StoreFiles
    let fileSystem: any FileSystem
    var report = VerificationReport()

    /// Throws only when there is no store to look at, or it cannot be read at all.
    public static func verify(
        at path: String, fileSystem: any FileSystem = PosixFileSystem()
    ) throws(StorageError) -> VerificationReport {
        let files = StoreFiles(directory: path)
        guard try files.exist(in: fileSystem) else { throw .notFound(path: files.directory) }
        return try files.lookingAgain(fileSystem) { (contents) throws(StorageError) in
            var verifier = Verifier(files: files, fileSystem: fileSystem)
            try verifier.run(contents)
            let damage = verifier.report.damage + verifier.report.treeFindings.map(\.damage)
            return (verifier.report, finding: damage.isEmpty ? nil : damage)
        }
    }

    private init(files: StoreFiles, fileSystem: any FileSystem) {
        self.files = files
        self.fileSystem = fileSystem
    }

    private mutating func run(_ contents: StoreOpening.Contents) throws(StorageError) {
        guard let newest = contents.snapshots.last else {
            let error = try contents.missingSnapshot(files, fileSystem)
            guard case .damaged(let damage) = error else { throw error }
            report.damage.append(damage)
            report.checks.append(.init(name: .superblock, itemCount: 0, findingCount: 1))
            return
        }
        let snapshot: SnapshotFile
        do throws(StorageError) {
            snapshot = try open(newest)
        } catch {
            guard case .damaged(let damage) = error else { throw error }
            report.damage.append(damage)
            report.checks.append(.init(name: .superblock, itemCount: 1, findingCount: 1))
            return
        }
        report.generation = snapshot.superblock.generation
        report.commitNumber = snapshot.superblock.commitNumber
        checkSuperblocks(snapshot)
        checkTrees(snapshot)
        try checkLog(contents.logs, snapshot)
    }

    /// Opens a snapshot by the superblock that the rest of the store bears out: one of the two may be sound and another
    /// store's.
    private func open(_ generation: UInt64) throws(StorageError) -> SnapshotFile {
        let path = files.snapshot(generation)
        let first = try SnapshotFile(opening: path, generation: generation, fileSystem)
        guard !first.usedSpareSuperblock, !isBorneOut(first),
            let other = try? SnapshotFile(opening: path, generation: generation, preferringSpare: true, fileSystem),
            other.usedSpareSuperblock, isBorneOut(other)
        else { return first }
        return other
    }

    private func isBorneOut(_ snapshot: SnapshotFile) -> Bool {
        let superblock = snapshot.superblock
        let hasRoots = superblock.trees.allSatisfy { tree in
            tree.root.isEmpty || (try? snapshot.pages.root(tree.root, NodeShape(tree.declaration))) != nil
        }
        guard hasRoots, let segment = try? fileSystem.openFile(files.log(superblock.logSequence), .reading) else {
            return hasRoots
        }
        defer { segment.close() }
        let bytes = (try? segment.read(byteCount: LogSegmentFormat.headerByteCount, at: 0)) ?? []
        let header = bytes.withBytes { try? LogSegmentHeader(decoding: $0, path: segment.path) }
        return header.map { $0.store == superblock.store } ?? true
    }

    mutating func note(_ name: VerificationReport.Check.Name, items: Int, _ body: (inout Self) -> Void) {
        let before = report.damage.count + report.treeFindings.count
        body(&self)
        let found = report.damage.count + report.treeFindings.count - before
        report.checks.append(.init(name: name, itemCount: items, findingCount: found))
    }

    mutating func add(_ file: String, _ byteOffset: Int, _ finding: String) {
        report.damage.append(Damage(file: file, byteOffset: byteOffset, finding: finding))
    }

    mutating func add(_ file: String, _ byteOffset: Int? = nil, page: Int, _ finding: String) {
        report.damage.append(
            Damage(
                file: file, byteOffset: byteOffset ?? page * NodeLayout.pageByteCount, page: page, finding: finding))
    }
}

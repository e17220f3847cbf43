/// Checks a store's raw files without opening the store: every superblock, page, block and frame, and what must hold
/// between them. Takes no lock and changes nothing; damaged or hostile bytes become findings.
public struct Verifier {
    private let files: StoreFiles
    private let fileSystem: any FileSystem
    private var report = VerificationReport()

    /// Throws only when there is no store to look at, or it cannot be read at all.
    public static func verify(
        at path: String, fileSystem: any FileSystem = PosixFileSystem()
    ) throws(StorageError) -> VerificationReport {
        var verifier = Verifier(files: StoreFiles(directory: path), fileSystem: fileSystem)
        try verifier.run()
        return verifier.report
    }

    private init(files: StoreFiles, fileSystem: any FileSystem) {
        self.files = files
        self.fileSystem = fileSystem
    }

    private mutating func run() throws(StorageError) {
        switch try fileSystem.kind(of: files.directory) {
        case .absent: throw .notFound(path: files.directory)
        case .file: throw .notAStore(path: files.directory, reason: "it is a file, and a store is a directory")
        case .directory: break
        }
        let contents = try StoreOpening.Contents(files, fileSystem)
        guard let newest = contents.snapshots.last else {
            let error = contents.missingSnapshot(in: files.directory)
            guard case .damaged(let damage) = error else { throw error }
            report.damage.append(damage)
            return
        }
        let snapshot: SnapshotFile
        do throws(StorageError) {
            snapshot = try SnapshotFile(opening: files.snapshot(newest), fileSystem)
        } catch {
            guard case .damaged(let damage) = error else { throw error }
            report.damage.append(damage)
            report.checks.append(.init(name: .superblock, itemCount: 1, findingCount: 1))
            return
        }
        report.generation = snapshot.superblock.generation
        report.commitNumber = snapshot.superblock.commitNumber
        snapshot.expectSequentialReads(true)
        checkSuperblocks(snapshot)
        checkTrees(snapshot)
        try checkLog(contents.logs, snapshot.superblock)
    }

    private mutating func note(_ name: VerificationReport.Check.Name, items: Int, _ body: (inout Self) -> Void) {
        let before = report.damage.count + report.treeFindings.count
        body(&self)
        let found = report.damage.count + report.treeFindings.count - before
        report.checks.append(.init(name: name, itemCount: items, findingCount: found))
    }

    /// The first page and the last must agree.
    private mutating func checkSuperblocks(_ snapshot: SnapshotFile) {
        note(.superblock, items: 2) { verifier in
            let last = snapshot.bytes.count - NodeLayout.pageByteCount
            for byteOffset in [0, last] {
                let page = UnsafeRawBufferPointer(
                    rebasing: snapshot.bytes[byteOffset..<byteOffset + NodeLayout.pageByteCount])
                do throws(StorageError) {
                    let copy = try Superblock(decoding: page, path: snapshot.path, at: byteOffset)
                    if copy != snapshot.superblock {
                        verifier.add(snapshot.path, byteOffset, "the two superblocks differ")
                    }
                } catch {
                    if case .damaged(let damage) = error {
                        verifier.report.damage.append(damage)
                    } else {
                        verifier.add(snapshot.path, byteOffset, "the superblock names another format")
                    }
                }
            }
        }
    }

    private mutating func add(_ file: String, _ byteOffset: Int, _ finding: String) {
        report.damage.append(Damage(file: file, byteOffset: byteOffset, finding: finding))
    }

    private mutating func checkTrees(_ snapshot: SnapshotFile) {
        let superblock = snapshot.superblock
        var seen = [Bool](repeating: false, count: Int(superblock.pageCount))
        var references: [ColdReference] = []
        var entryCount = 0
        var checksumFindings = 0
        var orderFindings = 0
        for tree in superblock.trees {
            var walk = TreeWalk(pages: snapshot.pages, declaration: tree.declaration)
            walk.walk(tree.root)
            for finding in walk.findings {
                // Pages that cannot be read lose entries; pages that can, but lie, do not.
                if finding.lostEntryCount == 0 { orderFindings += 1 } else { checksumFindings += 1 }
            }
            report.treeFindings += walk.findings
            references += walk.coldReferences
            entryCount += walk.entryCount
            for page in walk.pageNumbers {
                if page == 0 || seen[Int(page)] {
                    add(snapshot.path, Int(page) * NodeLayout.pageByteCount, "page \(page) is reached twice")
                    orderFindings += 1
                }
                seen[Int(page)] = true
            }
            if walk.findings.isEmpty, UInt64(walk.entryCount) != tree.entryCount {
                add(
                    snapshot.path, 0,
                    "tree \(tree.declaration.name) holds \(walk.entryCount) entries, the superblock says \(tree.entryCount)"
                )
                orderFindings += 1
            }
        }
        checksumFindings += checkUnreachedPages(snapshot, seen)
        report.checks.append(
            .init(name: .checksums, itemCount: Int(superblock.pageCount), findingCount: checksumFindings))
        report.checks.append(.init(name: .order, itemCount: entryCount, findingCount: orderFindings))
        checkColdRegion(snapshot, references)
    }

    /// Pages that no tree reaches were never written: zeros. Below a damaged branch that cannot be told.
    private mutating func checkUnreachedPages(_ snapshot: SnapshotFile, _ seen: [Bool]) -> Int {
        guard report.treeFindings.isEmpty else { return 0 }
        var found = 0
        for page in 1..<max(1, seen.count) where !seen[page] {
            let start = page * NodeLayout.pageByteCount
            if snapshot.bytes[start..<start + NodeLayout.pageByteCount].contains(where: { $0 != 0 }) {
                add(snapshot.path, start, "page \(page) holds bytes but belongs to no tree")
                found += 1
            }
        }
        return found
    }

    private mutating func checkColdRegion(_ snapshot: SnapshotFile, _ references: [ColdReference]) {
        var blocks: [UInt64: Int] = [:]
        let region = snapshot.cold
        var blockCount = 0
        let before = report.damage.count
        var next: UInt64 = 0
        while next < snapshot.superblock.coldByteCount {
            do throws(StorageError) {
                let block = try region.block(at: next)
                blocks[next] = block.bytes.count
                next = block.next
                blockCount += 1
            } catch {
                if case .damaged(let damage) = error { report.damage.append(damage) }
                // Where the next block begins is told by the values that lie in it.
                guard let following = references.lazy.map(\.block).filter({ $0 > next }).min() else { break }
                next = following
            }
        }
        if report.damage.count == before {
            for reference in references {
                guard let count = blocks[reference.block], Int(reference.offset) + Int(reference.count) <= count else {
                    add(
                        snapshot.path, region.fileOffset + Int(reference.block), "a value points outside its cold block"
                    )
                    break
                }
            }
        }
        // Every byte of the file is accounted for: zeros fill what is left before the last superblock.
        let end = region.fileOffset + Int(snapshot.superblock.coldByteCount)
        let padding = snapshot.bytes[end..<max(end, snapshot.bytes.count - NodeLayout.pageByteCount)]
        if let stray = padding.firstIndex(where: { $0 != 0 }) {
            add(snapshot.path, stray, "a byte between the cold region and the last superblock is not zero")
        }
        report.checks.append(.init(name: .cold, itemCount: blockCount, findingCount: report.damage.count - before))
    }

    // MARK: Log

    private mutating func checkLog(_ sequences: [UInt64], _ superblock: Superblock) throws(StorageError) {
        let before = report.damage.count
        var commitCount = 0
        var expected = superblock.logSequence
        var lastCommit: UInt64?
        for sequence in sequences where sequence >= superblock.logSequence {
            let path = files.log(sequence)
            if sequence != expected {
                add(
                    files.log(expected), 0,
                    "the segment that follows commit \(lastCommit ?? superblock.commitNumber) is missing")
            }
            expected = sequence + 1
            let file = try fileSystem.openFile(path, .reading)
            defer { file.close() }
            let bytes = try file.readSegment(watermark: superblock.commitNumber)
            bytes.withUnsafeBytes { bytes in
                do throws(StorageError) {
                    let scan = try LogScan(bytes, path: path, watermark: superblock.commitNumber)
                    guard !scan.isAbandoned(newest: superblock.generation) else { return }
                    commitCount += scan.frames.count { start in
                        LogFrame(in: bytes, at: start, salt: scan.header.salt)?.isWatermarkOnly == false
                    }
                    check(scan, bytes, path, superblock, lastCommit)
                    lastCommit = scan.lastCommit
                } catch {
                    if case .damaged(let damage) = error { report.damage.append(damage) }
                }
            }
        }
        report.commitNumber = max(report.commitNumber, lastCommit ?? 0)
        if expected == superblock.logSequence, superblock.generation > 1 {
            add(files.log(expected), 0, "the segment that follows commit \(superblock.commitNumber) is missing")
        }
        report.checks.append(.init(name: .log, itemCount: commitCount, findingCount: report.damage.count - before))
    }

    private mutating func check(
        _ scan: LogScan, _ bytes: UnsafeRawBufferPointer, _ path: String, _ superblock: Superblock, _ previous: UInt64?
    ) {
        if scan.header.store != superblock.store { add(path, 16, "the segment belongs to another store") }
        if let previous, previous != scan.header.baseCommit {
            add(
                path, 40,
                "the segment begins behind commit \(scan.header.baseCommit), the one before ends with \(previous)")
        }
        for start in scan.frames {
            guard let frame = LogFrame(in: bytes, at: start, salt: scan.header.salt) else { continue }
            let payload = frame.payload(in: bytes)
            let isWhole =
                payload?.withUnsafeBytes { payload in
                    (try? Operation.forEach(in: payload) { (_) throws(StorageError) in }) ?? false
                } ?? false
            if !isWhole { add(path, start, "commit \(frame.commit) holds no operations") }
        }
        switch scan.ending {
        case .clean: break
        case .torn(let byteCount), .reordered(let byteCount): report.tornByteCount += byteCount
        case .rotten(let damage): report.damage.append(damage)
        }
    }
}

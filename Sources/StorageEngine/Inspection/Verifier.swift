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

    private mutating func note(_ name: VerificationReport.Check.Name, items: Int, _ body: (inout Self) -> Void) {
        let before = report.damage.count + report.treeFindings.count
        body(&self)
        let found = report.damage.count + report.treeFindings.count - before
        report.checks.append(.init(name: name, itemCount: items, findingCount: found))
    }

    /// The first superblock and its catalogue, and the last, must agree.
    private mutating func checkSuperblocks(_ snapshot: SnapshotFile) {
        note(.superblock, items: 2) { verifier in
            for byteOffset in [0, snapshot.byteCount - NodeLayout.pageByteCount] {
                do throws(StorageError) {
                    try verifier.checkHead(of: snapshot, at: byteOffset)
                } catch {
                    if case .damaged(let damage) = error {
                        verifier.report.damage.append(damage)
                    } else {
                        verifier.add(
                            snapshot.path, page: byteOffset / NodeLayout.pageByteCount,
                            "the superblock names another format than the other one")
                    }
                }
            }
        }
    }

    private mutating func checkHead(of snapshot: SnapshotFile, at byteOffset: Int) throws(StorageError) {
        let bytes = snapshot.withBytes { $0.copyBytes(byteOffset..<byteOffset + NodeLayout.pageByteCount) }
        var copy = try bytes.withBytes { (bytes) throws(StorageError) in
            try Superblock(decoding: bytes, path: snapshot.path, at: byteOffset)
        }
        copy.trees = snapshot.superblock.trees
        let pages = bytes.withBytes { CataloguePages(of: $0) }
        guard copy == snapshot.superblock, pages == snapshot.cataloguePages else {
            return add(
                snapshot.path, page: byteOffset / NodeLayout.pageByteCount,
                "the superblock differs from the other one, by which the file was read")
        }
        // The catalogue's checksum is that of the bytes there are, which are looked at below.
        var encoded = copy.encoded()
        encoded.store(pages.checksum, in: SuperblockField.catalogueChecksum)
        encoded.store(CRC32C.checksum(encoded, before: SuperblockField.checksum), in: SuperblockField.checksum)
        addStray(bytes, encoded, at: byteOffset, of: "superblock", snapshot.path)
        var catalogue: [UInt8] = []
        try bytes.withBytes { (page) throws(StorageError) in
            try copy.readCatalogue(of: page, path: snapshot.path, at: byteOffset) { place in
                catalogue = snapshot.withBytes { $0.copyBytes(place.clamped(to: 0..<$0.byteCount)) }
                return catalogue
            }
        }
        let place = pages.bytes(ofSuperblockAt: byteOffset)
        addStray(catalogue, copy.encodedCatalogue(), at: place.lowerBound, of: "catalogue", snapshot.path)
    }

    private mutating func addStray(
        _ bytes: [UInt8], _ encoded: [UInt8], at byteOffset: Int, of what: String, _ path: String
    ) {
        guard bytes != encoded, let stray = bytes.indices.first(where: { encoded[$0] != bytes[$0] }) else { return }
        let place = byteOffset + stray
        add(path, place, page: place / NodeLayout.pageByteCount, "a byte of the \(what) that is kept at zero is not")
    }

    private mutating func add(_ file: String, _ byteOffset: Int, _ finding: String) {
        report.damage.append(Damage(file: file, byteOffset: byteOffset, finding: finding))
    }

    private mutating func add(_ file: String, _ byteOffset: Int? = nil, page: Int, _ finding: String) {
        report.damage.append(
            Damage(
                file: file, byteOffset: byteOffset ?? page * NodeLayout.pageByteCount, page: page, finding: finding))
    }

    private mutating func checkTrees(_ snapshot: SnapshotFile) {
        let superblock = snapshot.superblock
        var seen = [Bool](repeating: false, count: Int(superblock.pageCount))
        var coldUses: [UInt64: ColdUse] = [:]
        var entryCount = 0
        var checksumFindings = 0
        var orderFindings = 0
        for tree in superblock.trees {
            var walk = snapshot.walk(tree.declaration)
            walk.walk(tree.root)
            for finding in walk.findings {
                // Pages that cannot be read lose entries; pages that can, but lie, do not.
                if finding.lostEntryCount == 0 { orderFindings += 1 } else { checksumFindings += 1 }
            }
            report.treeFindings += walk.findings
            for reference in walk.coldReferences {
                coldUses[reference.block, default: ColdUse()].add(reference, of: tree.declaration.name)
            }
            entryCount += walk.entryCount
            for page in walk.pageNumbers {
                if page == 0 || seen[Int(page)] {
                    add(snapshot.path, page: Int(page), "the page is reached twice")
                    orderFindings += 1
                }
                seen[Int(page)] = true
            }
            if walk.findings.isEmpty { orderFindings += checkTotals(of: tree, walk, snapshot.path) }
        }
        checksumFindings += checkUnreachedPages(snapshot, seen)
        report.checks.append(
            .init(name: .checksums, itemCount: Int(superblock.pageCount), findingCount: checksumFindings))
        report.checks.append(.init(name: .order, itemCount: entryCount, findingCount: orderFindings))
        checkColdRegion(snapshot, coldUses)
    }

    /// Compares what the catalogue says of a tree with what was found in it. Gives how many of its numbers are wrong.
    private mutating func checkTotals(of tree: Superblock.Tree, _ walk: TreeWalk, _ path: String) -> Int {
        let numbers: [(found: Int, one: String, several: String, said: UInt64)] = [
            (walk.entryCount, "entry", "entries", tree.entryCount),
            (walk.pageTotals.height, "level", "levels", UInt64(tree.height)),
            (walk.pageTotals.leafPages, "leaf", "leaves", UInt64(tree.leafPages)),
            (walk.pageTotals.branchPages, "branch", "branches", UInt64(tree.branchPages)),
            (walk.pageTotals.keyByteCount, "byte of keys", "bytes of keys", tree.keyByteCount),
            (walk.pageTotals.valueByteCount, "byte of values", "bytes of values", tree.valueByteCount),
            (walk.pageTotals.usedByteCount, "byte in use", "bytes in use", tree.usedByteCount),
        ]
        let wrong = numbers.filter { UInt64($0.found) != $0.said }
        for number in wrong {
            let what = number.found == 1 ? number.one : number.several
            add(
                path, page: 1,
                "tree \(tree.declaration.name) has \(number.found) \(what), the catalogue says \(number.said)")
        }
        return wrong.count
    }

    /// Pages that no tree reaches were never written: zeros. Below a damaged branch that cannot be told.
    private mutating func checkUnreachedPages(_ snapshot: SnapshotFile, _ seen: [Bool]) -> Int {
        guard report.treeFindings.isEmpty else { return 0 }
        var found = 0
        let first = snapshot.superblock.headPageCount
        for page in first..<max(first, seen.count) where !seen[page] {
            let start = page * NodeLayout.pageByteCount
            let stray = snapshot.withBytes { $0.firstNonZero(in: start..<start + NodeLayout.pageByteCount) }
            if stray != nil {
                add(snapshot.path, page: page, "the page holds bytes but belongs to no tree")
                found += 1
            }
        }
        return found
    }

    private mutating func checkColdRegion(_ snapshot: SnapshotFile, _ uses: [UInt64: ColdUse]) {
        // Where blocks begin is told by the values that lie in them, also behind one that cannot be read.
        let starts = uses.keys.sorted()
        var following = starts[...]
        // What a damaged block claims to hold is read for its checksum: an enemy's file could have all of it read for every
        // value.
        var budget = 64 * snapshot.cold.byteCount
        var blocks: [UInt64: Int] = [:]
        let region = snapshot.cold
        var blockCount = 0
        let before = report.damage.count
        var ahead = snapshot.readAhead
        var next: UInt64 = 0
        while next < snapshot.superblock.coldByteCount {
            ahead.reach(region.fileOffset + Int(next))
            do throws(StorageError) {
                let block = try snapshot.withBytes { (bytes) throws(StorageError) in
                    try region.block(at: next, in: bytes)
                }
                blocks[next] = block.bytes.count
                next = block.next
                blockCount += 1
            } catch {
                if case .damaged(let damage) = error {
                    let held = uses[next].map { "; it holds \($0.words)" } ?? ""
                    add(snapshot.path, damage.byteOffset, damage.finding + held)
                }
                following = following.drop { $0 <= next }
                budget -= snapshot.withBytes { region.claimedByteCount(at: next, in: $0) }
                guard let start = following.first, budget > 0 else { break }
                next = start
            }
        }
        if report.damage.count == before {
            for start in starts {
                let use = uses[start]!
                let place = region.fileOffset + Int(start)
                guard let byteCount = blocks[start] else {
                    add(snapshot.path, place, "no block begins here; it would hold \(use.words)")
                    continue
                }
                if byteCount > ColdBlock.sharedByteCountLimit, !use.isOneValue(of: byteCount) {
                    add(
                        snapshot.path, place,
                        "the block has \(byteCount) bytes, so all of it has to be one value; it holds \(use.words)")
                } else if use.end > byteCount {
                    add(
                        snapshot.path, place,
                        "the block has \(byteCount) bytes, what lies in it ends at \(use.end); it holds \(use.words)")
                }
            }
        }
        // Every byte of the file is accounted for: zeros fill what is left before the last superblock.
        let pagesEnd = Int(snapshot.superblock.pageCount) * NodeLayout.pageByteCount
        if region.fileOffset != pagesEnd {
            add(snapshot.path, pagesEnd, "the cold region does not begin behind the last page")
        }
        let end = region.fileOffset + Int(snapshot.superblock.coldByteCount)
        let padding = end..<max(end, snapshot.byteCount - snapshot.superblock.headPageCount * NodeLayout.pageByteCount)
        if let stray = snapshot.withBytes({ $0.firstNonZero(in: padding) }) {
            add(snapshot.path, stray, "a byte between the cold region and the last catalogue is not zero")
        }
        report.checks.append(.init(name: .cold, itemCount: blockCount, findingCount: report.damage.count - before))
    }

    // MARK: Log

    private mutating func checkLog(_ sequences: [UInt64], _ snapshot: SnapshotFile) throws(StorageError) {
        let superblock = snapshot.superblock
        let before = report.damage.count
        var commitCount = 0
        var expected = superblock.logSequence
        var trees = DeclaredTrees(superblock)
        // The segment before, when it was read to its end.
        var previous: (scan: LogScan, path: String)?
        for sequence in sequences where sequence >= superblock.logSequence {
            let path = files.log(sequence)
            let file = try fileSystem.openFile(path, .reading)
            defer { file.close() }
            do throws(StorageError) {
                var (reader, scan) = try LogReader.scan(file, watermark: superblock.commitNumber, mayGrow: true)
                if let damage = scan.header.misplacement(in: path, store: superblock.store, sequence: sequence) {
                    throw .damaged(damage)
                }
                if scan.isAbandoned(newest: superblock.generation) {
                    guard sequences.last == sequence else { throw .damaged(LogScan.hasFollowers(path)) }
                    // The log ends with the segment before it, and there has to be one.
                    break
                }
                if sequence != expected {
                    addMissing(expected)
                    previous = nil
                }
                expected = sequence + 1
                commitCount += try checkFrames(
                    of: scan, &reader, superblock.commitNumber, isNewest: sequence == sequences.last, &trees)
                checkPlace(of: scan.header, sequence, path, snapshot, previous)
                report.commitNumber = max(report.commitNumber, scan.lastCommit)
                if case .rotten(let damage) = scan.ending {
                    report.damage.append(damage)
                    previous = nil
                } else {
                    previous = (scan, path)
                }
            } catch {
                guard case .damaged(let damage) = error else { throw error }
                if sequence != expected { addMissing(expected) }
                expected = sequence + 1
                report.damage.append(damage)
                previous = nil
            }
        }
        report.tornByteCount = previous?.scan.cutByteCount ?? 0
        if expected == superblock.logSequence { addMissing(expected) }
        report.checks.append(.init(name: .log, itemCount: commitCount, findingCount: report.damage.count - before))
    }

    private mutating func addMissing(_ sequence: UInt64) {
        add(files.log(sequence), 0, "the segment that follows commit \(report.commitNumber) is missing")
    }

    /// A segment goes on where the one before it, or the snapshot, ends.
    private mutating func checkPlace(
        of header: LogSegmentHeader, _ sequence: UInt64, _ path: String, _ snapshot: SnapshotFile,
        _ previous: (scan: LogScan, path: String)?
    ) {
        let superblock = snapshot.superblock
        if let damage = header.lackOfSnapshot(files, newest: superblock.generation) {
            report.damage.append(damage)
        } else if let damage = previous.flatMap({ $0.scan.breach(before: header, path: $0.path) }) {
            report.damage.append(damage)
        } else if let previous, previous.scan.cutByteCount > 0 {
            // The end of a segment was proved before its successor was made.
            add(
                previous.path, previous.scan.end,
                "behind the last frame there are \(previous.scan.cutByteCount) bytes, which belong to no commit")
        } else if sequence == superblock.logSequence {
            if header.baseCommit > superblock.commitNumber {
                add(
                    path, LogSegmentField.baseCommit.offset,
                    "the segment goes on behind commit \(header.baseCommit), the snapshot ends with "
                        + "\(superblock.commitNumber)")
            } else if let damage = snapshot.estrangement(of: header, in: path) {
                report.damage.append(damage)
            }
        }
    }

    /// What the frames hold, and that everything the format keeps at zero is. Gives the number of commits.
    ///
    /// Commits up to `known` are in the snapshot and are not replayed.
    private mutating func checkFrames(
        of scan: LogScan, _ reader: inout LogReader, _ known: UInt64, isNewest: Bool, _ trees: inout DeclaredTrees
    ) throws(StorageError) -> Int {
        let path = reader.path
        let salt = try reader.withBytes(0..<LogSegmentFormat.headerByteCount) { $0.load(LogSegmentField.salt) }
        if salt != scan.header.salt {
            add(
                path, LogSegmentField.salt.offset,
                "the salt is \(salt.hexadecimal), of this store and segment it would be \(scan.header.salt.hexadecimal)"
            )
        }
        var commitCount = 0
        var proved = LogSegmentFormat.headerByteCount
        try reader.forEachFrame(of: scan) { (frame, reader) throws(StorageError) in
            // Zeros fill up to a closing mark, which has a page of its own.
            if let stray = try reader.firstNonZero(in: proved..<frame.start) {
                add(path, stray, "a byte between two frames is not zero")
            }
            if !frame.isWatermarkOnly { commitCount += 1 }
            let payload = try reader.payload(of: frame)
            var objection: String?
            let isWhole =
                payload?.withBytes { payload in
                    (try? Operation.forEach(in: payload) { (operation) throws(StorageError) in
                        guard !frame.isWatermarkOnly, frame.commit > known, objection == nil else { return }
                        objection = trees.objection(to: operation)
                    }) ?? false
                } ?? false
            if !isWhole { objection = "holds no operations" }
            if let objection { add(path, frame.start, "commit \(frame.commit) \(objection)") }
            if frame.hasUnknownFields {
                add(
                    path, frame.start,
                    "the frame of commit \(frame.commit) has flags or reserved bytes that are not of format 1")
            }
            // A crash may have torn a write within the padding of its frames, until something proves that it was flushed.
            let isProved = !isNewest || (!frame.isWatermarkOnly && frame.commit <= scan.watermark)
            let end = reader.byteCount
            let padding = min(frame.bodyEnd, end)..<min(frame.end, end)
            if isProved, let stray = try reader.firstNonZero(in: padding) {
                add(path, stray, "a byte that pads the frame of commit \(frame.commit) is not zero")
            }
            proved = min(frame.end, end)
        }
        return commitCount
    }
}

/// What lies in a cold block.
private struct ColdUse {
    /// By tree.
    private var counts: [(tree: String, count: Int)] = []
    /// Behind the last value.
    private(set) var end = 0
    private var byteCount = 0

    mutating func add(_ reference: ColdReference, of tree: String) {
        end = max(end, Int(reference.offset) + Int(reference.count))
        byteCount += Int(reference.count)
        if counts.last?.tree == tree { counts[counts.count - 1].count += 1 } else { counts.append((tree, 1)) }
    }

    /// Whether a block of so many bytes is one value, whole.
    func isOneValue(of blockByteCount: Int) -> Bool {
        counts.count == 1 && counts[0].count == 1 && byteCount == blockByteCount && end == blockByteCount
    }

    /// "12 values of texts and 1 value of notes".
    var words: String {
        counts.map { "\($0.count) \($0.count == 1 ? "value" : "values") of \($0.tree)" }.joined(separator: " and ")
    }
}

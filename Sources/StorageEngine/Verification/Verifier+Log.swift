/// The log behind a snapshot: its segments and what their frames hold.
extension Verifier {
    mutating func checkLog(_ sequences: [UInt64], _ snapshot: SnapshotFile) throws(StorageError) {
        let superblock = snapshot.superblock
        let before = report.damage.count
        var commitCount = 0
        var expected = superblock.logSequence
        var trees = DeclaredTrees(superblock)
        // The segment before, when it was read to its end.
        var previous: (scan: LogScan, path: String)?
        // The first of those that were passed by.
        var abandoned: String?
        for sequence in sequences where sequence >= superblock.logSequence {
            let path = files.log(sequence)
            let file = try fileSystem.openFile(path, .reading)
            defer { file.close() }
            do throws(StorageError) {
                var (reader, scan) = try LogReader.scan(file, watermark: superblock.commitNumber, mayGrow: true)
                // That of a restore is of another store.
                if scan.isAbandoned(
                    newest: superblock.generation, of: superblock.store, sequence, expected: expected)
                {
                    // The log ends with the segment before it, and there has to be one. Others may be behind it.
                    abandoned = abandoned ?? path
                    continue
                }
                if let damage = scan.header.misplacement(in: path, store: superblock.store, sequence: sequence) {
                    throw .damaged(damage)
                }
                if !isNext(sequence, expected: expected, behind: abandoned.take()) { previous = nil }
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
                _ = isNext(sequence, expected: expected, behind: abandoned.take())
                expected = sequence + 1
                report.damage.append(damage)
                previous = nil
            }
        }
        if let scan = previous?.scan, let damage = StoreHistory.cut(of: scan, behind: superblock, files, fileSystem) {
            report.damage.append(damage)
            previous = nil
        }
        report.tornByteCount = previous?.scan.cutByteCount ?? 0
        if expected == superblock.logSequence { addMissing(expected) }
        report.checks.append(.init(name: .log, itemCount: commitCount, findingCount: report.damage.count - before))
    }

    /// Whether a segment lies right behind the one before it. If not, says what is there instead.
    private mutating func isNext(_ sequence: UInt64, expected: UInt64, behind abandoned: String?) -> Bool {
        if let abandoned {
            report.damage.append(LogScan.hasFollowers(abandoned))
            return false
        }
        if sequence != expected { addMissing(expected) }
        return sequence == expected
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
            // A frame that is not replayed may have features that are not known here.
            let isReplayed = !frame.isWatermarkOnly && frame.commit > known
            let isLegible = isReplayed || frame.features.incompatible == 0
            let payload = isLegible ? try reader.payload(of: frame) : []
            var objection: String?
            let isWhole =
                payload?.withBytes { payload in
                    (try? Operation.forEach(in: payload) { (operation) throws(StorageError) in
                        guard isReplayed, objection == nil else { return }
                        objection = trees.objection(to: operation)
                    }) ?? false
                } ?? false
            if !isWhole { objection = "holds no operations" }
            if let objection { add(path, frame.start, "commit \(frame.commit) \(objection)") }
            if frame.hasUnknownFlags {
                add(path, frame.start, "the frame of commit \(frame.commit) has flags that are not of format 1")
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

/// Finds the commits of a damaged log: every sound frame of every segment, also behind what has rotted.
///
/// A commit's operations are puts and removals of whole entries, so it can be applied although commits before it are missing.
/// What a power cut left at the end, and was never acknowledged, stays out.
struct LogSalvage {
    /// A commit to apply, and where it lies.
    struct Commit: Sendable {
        let path: String
        let byteOffset: Int
        let salt: UInt32
        let number: UInt64
    }

    private(set) var commits: [Commit] = []
    private(set) var missing: [ClosedRange<UInt64>] = []
    private(set) var places: [SalvagedPlace] = []
    private(set) var tornByteCount = 0
    /// Of sound frames, also those of a tail that was never acknowledged.
    private(set) var declaredTrees: [TreeDeclaration] = []
    private(set) var changedTrees: Set<TreeNumber> = []
    /// The newest commit found, or that of the snapshot.
    private(set) var lastCommit: UInt64?

    /// Segments that a restore which was interrupted has begun.
    private(set) var abandoned: Set<UInt64> = []

    private let files: StoreFiles
    private let store: StoreIdentifier
    private let newestGeneration: UInt64
    private let firstSequence: UInt64?
    private let estrangement: (LogSegmentHeader, String) -> Damage?
    private var segments: [Segment] = []
    /// The newest commit known to have been on the medium.
    private var watermark: UInt64

    private struct Frame {
        let byteOffset: Int
        let end: Int
        let commit: UInt64
        let checksum: UInt32
        let isWatermarkOnly: Bool
        let isReadable: Bool
    }

    private struct Segment {
        let sequence: UInt64
        let path: String
        let salt: UInt32
        /// `nil` when the header has rotted.
        let baseCommit: UInt64?
        var frames: [Frame] = []
        /// Behind the last byte that is not zero.
        var usedByteCount = 0
    }

    /// - Parameters:
    ///   - sequences: of the segments that a snapshot does not contain, ascending.
    ///   - first: the segment that was made with the snapshot; `nil` when that is unknown.
    ///   - known: the snapshot's commit; 0 without a snapshot; `nil` when it is unknown.
    ///   - closed: a commit that the log is known to have had.
    ///   - newest: the newest generation there is a snapshot file of.
    ///   - estrangement: why the first segment, by its header and path, continues another snapshot.
    init(
        _ sequences: [UInt64], of store: StoreIdentifier, first: UInt64?, after known: UInt64?, closed: UInt64?,
        newest: UInt64,
        estrangement: @escaping (LogSegmentHeader, String) -> Damage?, files: StoreFiles, _ fileSystem: any FileSystem
    ) throws(StorageError) {
        self.files = files
        self.store = store
        newestGeneration = newest
        firstSequence = first
        self.estrangement = estrangement
        watermark = max(known ?? 0, closed ?? 0)
        lastCommit = known
        for sequence in sequences { try read(sequence, fileSystem) }
        choose(first: first)
    }

    // MARK: Reading

    private mutating func read(_ sequence: UInt64, _ fileSystem: any FileSystem) throws(StorageError) {
        let path = files.log(sequence)
        let file = try SalvageFile(path, fileSystem)
        var reader = LogReader(file)
        var known: LogSegmentHeader?
        do throws(StorageError) {
            let header = try reader.header()
            guard header.store == store, header.sequence == sequence else {
                // That of a restore which was interrupted: nothing was written to it.
                if header.sequence == sequence, header.generation > newestGeneration,
                    try reader.usedEnd(from: 0) <= LogSegmentFormat.headerByteCount
                {
                    abandoned.insert(sequence)
                    return
                }
                return note(path, 0..<reader.byteCount, "the segment belongs to another store or place")
            }
            known = header
        } catch {
            // The salt follows from the name, so the frames can be proved all the same.
            guard case .damaged(let damage) = error else { throw error }
            places.append(SalvagedPlace(.log, damage, byteCount: LogSegmentFormat.headerByteCount))
        }
        let header = known ?? LogSegmentHeader(store: store, sequence: sequence, baseCommit: 0, previousChecksum: 0)
        if let known, let damage = sequence == firstSequence ? estrangement(known, path) : breach(before: known) {
            return note(path, 0..<reader.byteCount, damage.finding)
        }
        var segment = Segment(
            sequence: sequence, path: path, salt: header.salt, baseCommit: known?.baseCommit)
        segment.usedByteCount = try reader.usedEnd(from: 0)
        try findFrames(&reader, &segment)
        // Made for a generation that never came to be: what precedes it was not made durable by it.
        if header.generation > newestGeneration, segment.frames.isEmpty { return }
        watermark = max(watermark, header.baseCommit)
        segments.append(segment)
    }

    /// Why a segment continues another one than the one before it, which says by its closing mark that it is whole: the segment of
    /// another copy of the store. What it holds does not fit what was saved so far.
    private func breach(before header: LogSegmentHeader) -> Damage? {
        guard let previous = segments.last, previous.sequence + 1 == header.sequence, let mark = previous.frames.last,
            mark.isWatermarkOnly, mark.commit == header.baseCommit, mark.checksum != header.previousChecksum
        else { return nil }
        return Damage(
            file: files.log(header.sequence), byteOffset: 48,
            finding:
                "the segment continues a log that ends with checksum \(header.previousChecksum.hexadecimal), the one before "
                + "it ends with \(mark.checksum.hexadecimal): they are of different copies of the store")
    }

    private mutating func findFrames(_ reader: inout LogReader, _ segment: inout Segment) throws(StorageError) {
        var position = LogSegmentFormat.headerByteCount
        var budget = reader.searchBudget
        while let frame = try reader.frame(
            searchingFrom: position, to: segment.usedByteCount, salt: segment.salt, budget: &budget)
        {
            watermark = max(watermark, frame.watermark)
            // What the snapshot holds is not read, so that it may have features that are not known here.
            let isRead = !frame.isWatermarkOnly && frame.commit > lastCommit ?? 0
            let payload = isRead ? try reader.payload(of: frame) : []
            let isReadable = payload.map { noteTrees(in: $0) } ?? false
            segment.frames.append(
                Frame(
                    byteOffset: frame.start, end: frame.end, commit: frame.commit, checksum: frame.checksum,
                    isWatermarkOnly: frame.isWatermarkOnly, isReadable: isReadable))
            position = frame.bodyEnd
        }
        guard budget < 0 else { return }
        note(
            segment.path, position..<segment.usedByteCount,
            "so much here looks like frames and is none that not all of it was searched")
    }

    /// - Returns: whether the payload is one of operations.
    private mutating func noteTrees(in payload: [UInt8]) -> Bool {
        var (declared, changed): ([TreeDeclaration], Set<TreeNumber>) = ([], [])
        let isWhole = payload.withBytes { payload in
            try? Operation.forEach(in: payload) { (operation) throws(StorageError) in
                switch operation {
                case .put(let tree, _, _, _), .remove(let tree, _), .clear(let tree): changed.insert(tree)
                case .declare(let declaration): declared.append(declaration)
                case .note: break
                }
            }
        }
        guard isWhole == true else { return false }
        declaredTrees += declared
        changedTrees.formUnion(changed)
        return true
    }

    // MARK: Choosing

    /// Where the search stands: behind the last frame that was taken.
    private struct End {
        var segment: Int
        var byteOffset: Int
    }

    private mutating func choose(first: UInt64?) {
        var end: End?
        // Of a snapshot without a head it is known that the first segment was begun behind it.
        lastCommit = lastCommit ?? segments.first?.baseCommit
        noteMissingSegments(first: first)
        for index in segments.indices {
            for frame in segments[index].frames {
                defer { end = End(segment: index, byteOffset: frame.end) }
                guard !frame.isWatermarkOnly, frame.commit > lastCommit ?? 0 else { continue }
                if let last = lastCommit, frame.commit > last + 1 {
                    guard last < watermark else { return noteTail(behind: end) }
                    miss(last + 1...frame.commit - 1, behind: end, before: (index, frame.byteOffset))
                }
                lastCommit = frame.commit
                guard frame.isReadable else {
                    note(
                        segments[index].path, frame.byteOffset..<frame.end,
                        "commit \(frame.commit) holds no operations")
                    missing.append(frame.commit...frame.commit)
                    continue
                }
                commits.append(
                    Commit(
                        path: segments[index].path, byteOffset: frame.byteOffset, salt: segments[index].salt,
                        number: frame.commit))
            }
        }
        if watermark > lastCommit ?? 0 {
            miss((lastCommit ?? 0) + 1...watermark, behind: end, before: nil)
        } else {
            noteTail(behind: end)
        }
    }

    /// From generation 2 on, the segment behind a snapshot is made before the snapshot is.
    private mutating func noteMissingSegments(first: UInt64?) {
        var next = first ?? segments.first?.sequence
        for segment in segments {
            while let expected = next, expected < segment.sequence {
                note(files.log(expected), 0..<0, "the segment is missing")
                // One is enough to say so: the name of a file may hold any number.
                next = segment.sequence
            }
            next = segment.sequence + 1
        }
        if segments.isEmpty, let first { note(files.log(first), 0..<0, "the segment is missing") }
    }

    private mutating func miss(_ commits: ClosedRange<UInt64>, behind end: End?, before next: (Int, Int)?) {
        missing.append(commits)
        let finding = "commits \(commits.lowerBound) to \(commits.upperBound) were durable once and cannot be read"
        let segment = end?.segment ?? 0
        guard segments.indices.contains(segment) else { return }
        let start = end?.byteOffset ?? LogSegmentFormat.headerByteCount
        let used = segments[segment].usedByteCount
        let stop = next.map { $0.0 == segment ? $0.1 : used } ?? used
        // What is missing may have lain in a segment that is.
        if stop > start { note(segments[segment].path, start..<stop, finding) }
        if places.isEmpty { note(segments[segment].path, start..<start, finding) }
    }

    private mutating func noteTail(behind end: End?) {
        guard let last = segments.indices.last else { return }
        let start = end?.segment == last ? end?.byteOffset ?? 0 : LogSegmentFormat.headerByteCount
        tornByteCount = max(0, segments[last].usedByteCount - start)
    }

    private mutating func note(_ path: String, _ range: Range<Int>, _ finding: String) {
        places.append(
            SalvagedPlace(
                .log, Damage(file: path, byteOffset: range.lowerBound, finding: finding), byteCount: range.count))
    }
}

extension LogReader {
    /// A segment on a worn disk: what the disk does not give reads as zeros.
    init(_ file: SalvageFile) {
        self.init(
            path: file.path, byteCount: file.byteCount,
            Source(
                read: { (range) throws(StorageError) in try file.bytes(range) },
                dataExtent: { (place) throws(StorageError) in try file.dataExtent(from: place) }))
    }
}

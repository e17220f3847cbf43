/// What a log segment holds, and what kind of end it has.
///
/// A bad frame is judged by the newest *watermark* any sound frame carries: the number of the newest commit known to be on
/// the medium. At or below it the frame was once durable, so it has rotted. Beyond it the commit was never acknowledged as
/// durable: with nothing sound after it, it is a torn tail; with sound frames after it, a legal reordering of unflushed
/// writes by the device.
struct LogScan {
    enum End: Equatable {
        /// Zeros, or the end of the file.
        case clean
        /// An unfinished write that was never acknowledged: these bytes may go.
        case torn(byteCount: Int)
        /// As torn, with sound frames behind the gap.
        case reordered(byteCount: Int)
        /// Once durable, now unreadable. Nothing may be cut.
        case rotten(Damage)
    }

    let header: LogSegmentHeader
    private(set) var frameCount = 0
    /// Behind the last sound frame.
    private(set) var end = LogSegmentFormat.headerByteCount
    private(set) var lastCommit: UInt64
    private(set) var lastChecksum: UInt32
    private(set) var lastTime: UInt64 = 0
    private(set) var watermark: UInt64
    private(set) var ending = End.clean
    /// Where the closing mark begins that is the last frame, with the zeros before it; `nil` when the last frame is a commit, or
    /// there is none.
    private(set) var markStart: Int?
    /// Frames that no watermark vouches for, from the oldest on.
    private var unproved: [Unproved] = []

    private struct Unproved {
        let start: Int
        let provedBy: UInt64
    }

    /// `watermark` is what is known from elsewhere: the snapshot's commit, a later segment's base.
    init(_ reader: inout LogReader, watermark known: UInt64) throws(StorageError) {
        header = try reader.header()
        lastCommit = header.baseCommit
        lastChecksum = header.previousChecksum
        watermark = max(known, header.baseCommit)
        while let frame = try reader.frame(behind: end, lastCommit, lastChecksum, salt: header.salt) { take(frame) }
        try judge(&reader)
    }

    private mutating func take(_ frame: LogFrame) {
        frameCount += 1
        lastCommit = frame.commit
        lastChecksum = frame.checksum
        lastTime = frame.time
        watermark = max(watermark, frame.watermark)
        markStart = frame.isWatermarkOnly ? end : nil
        end = frame.end
        // A mark vouches for all that precedes it, and nobody for the mark itself.
        if frame.isWatermarkOnly { unproved.removeAll(keepingCapacity: true) }
        unproved.append(Unproved(start: frame.start, provedBy: frame.provedBy))
        let proved = unproved.prefix { $0.provedBy <= watermark }.count
        if proved > 0 { unproved.removeFirst(proved) }
    }

    /// Where the frames begin that no watermark vouches for; they are contiguous up to `end`, where there are none.
    var unprovedStart: Int { unproved.first?.start ?? end }

    /// Whether the segment was closed and nothing was written since: everything in it is on the medium, the closing mark itself
    /// perhaps not.
    var isClosed: Bool { markStart != nil && ending == .clean }

    /// Whether the segment was made for a generation that never came to be, `newest` being the newest there is: nothing was
    /// written to it, and what precedes it lies where it always did.
    func isAbandoned(newest generation: UInt64) -> Bool { header.generation > generation && frameCount == 0 }

    /// The same of a file with the number `sequence` in its name, in a store whose log would go on with `expected`. That of a restore is of
    /// another store, and far above what the store has come to; the next number with another store's file is damage.
    func isAbandoned(newest generation: UInt64, of store: StoreIdentifier, _ sequence: UInt64, expected: UInt64) -> Bool
    {
        isAbandoned(newest: generation) && header.sequence == sequence
            && (header.store == store || sequence != expected)
    }

    /// Nothing is ever written behind an abandoned segment, at `path`, but others that are abandoned, too.
    static func hasFollowers(_ path: String) -> Damage {
        Damage(
            file: path, byteOffset: LogSegmentField.generation.offset,
            finding: "the segment was made for a generation that never came to be, and others follow it")
    }

    private mutating func judge(_ reader: inout LogReader) throws(StorageError) {
        let usedEnd = try reader.usedEnd(from: end)
        guard usedEnd > end else {
            if watermark > lastCommit { ending = .rotten(loss(through: watermark, reader.path)) }
            return
        }
        var hasSoundFrames = false
        var position = end
        var budget = reader.searchBudget
        while let frame = try reader.frame(searchingFrom: position, to: usedEnd, salt: header.salt, budget: &budget) {
            hasSoundFrames = true
            watermark = max(watermark, frame.watermark)
            position = frame.bodyEnd
        }
        guard budget >= 0 else {
            ending = .rotten(
                Damage(file: reader.path, byteOffset: end, finding: "what follows commit \(lastCommit) is no log"))
            return
        }
        if watermark > lastCommit {
            ending = .rotten(loss(through: watermark, reader.path))
        } else {
            ending = hasSoundFrames ? .reordered(byteCount: usedEnd - end) : .torn(byteCount: usedEnd - end)
        }
    }

    /// Why the segment, at `path`, is not whole when a commit was on the medium that it does not have.
    func loss(through commit: UInt64, _ path: String) -> Damage {
        Damage(
            file: path, byteOffset: end,
            finding: Self.commits(lastCommit + 1, commit) + " durable once and cannot be read"
        )
    }

    /// Why this segment, at `path`, is not whole although one with header `next` follows it. It was sealed and flushed before
    /// that one was made, so its last frame is the one that header names.
    func breach(before next: LogSegmentHeader, path: String) -> Damage? {
        if lastCommit < next.baseCommit {
            return Damage(
                file: path, byteOffset: end,
                finding: Self.commits(lastCommit + 1, next.baseCommit) + " in this segment and cannot be read")
        }
        guard lastCommit == next.baseCommit, lastChecksum == next.previousChecksum else {
            return Damage(
                file: path, byteOffset: end,
                finding:
                    "the last frame, of commit \(lastCommit) with checksum \(lastChecksum.hexadecimal), is not the one "
                    + "that segment \(next.sequence) continues, commit \(next.baseCommit) with checksum "
                    + next.previousChecksum.hexadecimal)
        }
        return nil
    }

    private static func commits(_ first: UInt64, _ last: UInt64) -> String {
        first == last ? "commit \(first) was" : "commits \(first) to \(last) were"
    }
}

extension LogReader {
    /// The sound frames of a segment that was scanned, in order.
    mutating func forEachFrame(
        of scan: LogScan, _ body: (LogFrame, inout LogReader) throws(StorageError) -> Void
    ) throws(StorageError) {
        var (end, commit, checksum) = (
            LogSegmentFormat.headerByteCount, scan.header.baseCommit, scan.header.previousChecksum
        )
        while end < scan.end, let frame = try frame(behind: end, commit, checksum, salt: scan.header.salt) {
            try body(frame, &self)
            (end, commit, checksum) = (frame.end, frame.commit, frame.checksum)
        }
    }
}

extension LogSegmentHeader {
    /// Why a segment at `path`, with the number `sequence` in its name, does not belong to `store`.
    func misplacement(in path: String, store: StoreIdentifier, sequence: UInt64) -> Damage? {
        if self.store != store {
            return Damage(
                file: path, byteOffset: LogSegmentField.store.offset,
                finding: "the segment and the snapshot are of different stores")
        }
        guard self.sequence == sequence else {
            return Damage(
                file: path, byteOffset: LogSegmentField.sequence.offset,
                finding: "the segment has number \(self.sequence), the file's name says \(sequence)")
        }
        return nil
    }

    /// What is wrong when the segment goes on behind a snapshot that is newer than the `newest` that can be read.
    func lackOfSnapshot(_ files: StoreFiles, newest: UInt64) -> Damage? {
        guard generation > newest else { return nil }
        return Damage(
            file: files.snapshot(generation), byteOffset: 0,
            finding: "the snapshot that segment \(sequence) of the log continues is missing")
    }

    /// Why the segment at `path`, the first behind a snapshot, goes on behind another one: each names what it continues, so
    /// that the files of two copies of a store are told apart.
    ///
    /// - Parameters:
    ///   - generation: the snapshot's.
    ///   - identity: the checksum of its superblock.
    ///   - logChecksum: the chain value that the snapshot names.
    func estrangement(in path: String, generation: UInt64, identity: UInt32, logChecksum: UInt32) -> Damage? {
        let expected = self.generation == generation ? identity : logChecksum
        guard previousChecksum != expected else { return nil }
        return Damage(
            file: path, byteOffset: LogSegmentField.previousChecksum.offset,
            finding:
                "the segment continues a log that ends with checksum \(previousChecksum.hexadecimal), the snapshot names "
                + "\(expected.hexadecimal): they are of different copies of the store")
    }
}

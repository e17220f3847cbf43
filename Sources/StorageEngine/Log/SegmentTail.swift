/// Where the newest segment of the log ends, as far as it was written or read here, and how it goes on where others write to it, too.
struct SegmentTail: Sendable {
    private(set) var file: any File
    private(set) var sequence: UInt64
    private(set) var salt: UInt32
    /// Behind the last frame.
    private(set) var end: Int
    private(set) var lastChecksum: UInt32
    private(set) var lastCommit: UInt64
    /// The newest commit known to be on the medium.
    private(set) var watermark: UInt64
    /// Whether the last frame is a closing mark.
    private(set) var isMarked: Bool
    /// Frames at the end, made by others, of which nobody has said that they are on the medium.
    private var unproved: [Unproved] = []
    private(set) var unprovedByteCount = 0
    /// Whether there were more of them than are kept. Only an opening can prove them then.
    private var hasForgotten = false
    /// Whether they are kept: who only reads writes none of them again.
    private let keepsUnproved: Bool
    /// Where the frames begin that were written here and not flushed yet.
    private var unflushedStart: Int?

    private struct Unproved: Sendable {
        let bytes: [UInt8]
        let provedBy: UInt64
    }

    /// - Parameters:
    ///   - mark: the bytes of a closing mark that is the last frame and may not be on the medium, or nothing.
    ///   - isWriter: whether the log is ever written to.
    init(continuing scan: LogScan, file: any File, mark: [UInt8], watermark: UInt64, isWriter: Bool = true) {
        self.file = file
        self.watermark = watermark
        keepsUnproved = isWriter
        sequence = scan.header.sequence
        salt = scan.header.salt
        end = scan.end
        lastChecksum = scan.lastChecksum
        lastCommit = scan.lastCommit
        isMarked = scan.markStart != nil
        if !mark.isEmpty { doubt(mark, provedBy: scan.lastCommit + 1) }
    }

    /// A segment without frames.
    init(starting header: LogSegmentHeader, file: any File, isWriter: Bool = true) {
        self.file = file
        keepsUnproved = isWriter
        sequence = header.sequence
        salt = header.salt
        end = LogSegmentFormat.headerByteCount
        lastChecksum = header.previousChecksum
        lastCommit = header.baseCommit
        watermark = header.baseCommit
        isMarked = false
    }

    // MARK: Writing

    /// The frames that whoever writes next writes once more: their flush may have failed with who made them, and another one alone would
    /// prove nothing.
    var unprovedBytes: [UInt8] {
        unproved.count == 1 ? unproved[0].bytes : unproved.flatMap(\.bytes)
    }

    var hasUnproved: Bool { !unproved.isEmpty }

    /// Frames were written behind the end, those that nobody vouched for with them.
    mutating func noteWritten(byteCount: Int) {
        if unflushedStart == nil { unflushedStart = end - unprovedByteCount }
        forgetUnproved()
        end += byteCount
    }

    /// Frames were written behind those that nobody vouches for, and no flush follows: both are written once more before one does. To write them
    /// again with each group would be all of them each time, where two processes take turns.
    mutating func noteWritten(_ bytes: [UInt8], behindUnprovedThrough commit: UInt64) {
        doubt(bytes, provedBy: commit)
        end += bytes.count
    }

    private mutating func doubt(_ bytes: [UInt8], provedBy commit: UInt64) {
        unproved.append(Unproved(bytes: bytes, provedBy: commit))
        unprovedByteCount += bytes.count
    }

    private mutating func forgetUnproved() { (unproved, unprovedByteCount) = ([], 0) }

    mutating func noteFrames(checksum: UInt32, commit: UInt64, isMarked: Bool) {
        (lastChecksum, lastCommit, self.isMarked) = (checksum, commit, isMarked)
    }

    mutating func noteFlushed() {
        watermark = lastCommit
        unflushedStart = nil
    }

    // MARK: Following

    /// What others have written, and where that has led.
    struct News: Sendable {
        var commits: [LogWriter.Commit] = []
        /// Of segments that were read to their ends.
        var passedByteCount = 0
        /// Only an opening can say how the log goes on.
        var isElsewhere = false
    }

    /// Whether anything was written behind the end. Precondition: nobody writes now.
    ///
    /// Looks at two places where a frame may begin, and at the names of this segment and of the next.
    func hasNews(_ names: StoreFiles, _ fileSystem: any FileSystem) throws(StorageError) -> Bool {
        if hasForgotten { return true }
        if try hasBytesBehind() { return true }
        if try fileSystem.kind(of: names.log(sequence + 1)) != .absent { return true }
        return try !file.isNamed()
    }

    /// Reads all that others have appended. Precondition: nobody writes now.
    mutating func catchUp(_ names: StoreFiles, _ fileSystem: any FileSystem) throws(StorageError) -> News {
        var news = News()
        try reattach(names, fileSystem, .writing)
        while true {
            while let commit = try next(limit: nil) { news.commits.append(commit) }
            // What is no frame was left by somebody who died as they wrote.
            news.isElsewhere = try hasForgotten ? true : hasBytesBehind()
            guard !news.isElsewhere, try advance(names, fileSystem, .writing, &news) else { return news }
            // Whoever made a segment without frames may have died before its name was on the medium. An opening makes it anew.
            if try nextFrameEnd() == nil {
                news.isElsewhere = true
                return news
            }
        }
    }

    /// Reads what others have appended, as far as they say that it counts. They may be writing more.
    mutating func follow(
        _ head: LogHead, _ names: StoreFiles, _ fileSystem: any FileSystem, _ mode: FileMode
    ) throws(StorageError) -> News {
        var news = News()
        if head.isBehind(sequence, end) { try reattach(names, fileSystem, mode) }
        while head.isBehind(sequence, end) {
            while let commit = try next(limit: head.sequence == sequence ? head.end : nil) {
                news.commits.append(commit)
            }
            guard head.sequence > sequence, try advance(names, fileSystem, mode, &news) else { break }
        }
        // What counts and cannot be read here an opening reads, or tells what is wrong with it.
        if head.isBehind(sequence, end) { news.isElsewhere = true }
        return news
    }

    /// The next commit that somebody else has appended to the segment, and is there whole; `nil` when there is none. Reads its frame, and
    /// at most a page to see that there is no other.
    ///
    /// - Parameter limit: as far as the segment may be read.
    mutating func next(limit: Int?) throws(StorageError) -> LogWriter.Commit? {
        while limit.map({ end < $0 }) ?? true, let frameEnd = try nextFrameEnd() {
            var reader = try LogReader(file, through: frameEnd)
            guard let frame = try reader.frame(behind: end, lastCommit, lastChecksum, salt: salt) else { return nil }
            let payload = frame.isWatermarkOnly ? [] : try reader.payload(of: frame)
            if keepsUnproved {
                var bytes = try reader.copy(end..<frame.bodyEnd)
                // A file that was cut within the padding of its last frame reads as if it had it.
                bytes.append(zeros: frame.end - end - bytes.count)
                try doubtOwnFrames()
                keep(bytes, of: frame)
            }
            take(frame)
            if frame.isWatermarkOnly { continue }
            guard let payload else {
                throw .damaged(
                    Damage(
                        file: file.path, byteOffset: frame.start,
                        finding: "the payload of commit \(frame.commit) does not decode"))
            }
            return LogWriter.Commit(number: frame.commit, payload: payload)
        }
        return nil
    }

    /// Frames of others follow those that were written here and not flushed. A flush of theirs may have failed, and taken these with it.
    private mutating func doubtOwnFrames() throws(StorageError) {
        guard let start = unflushedStart else { return }
        unflushedStart = nil
        guard start < end, watermark < lastCommit else { return }
        doubt(try file.read(byteCount: end - start, at: start), provedBy: lastCommit)
    }

    private mutating func take(_ frame: LogFrame) {
        noteFrames(checksum: frame.checksum, commit: frame.commit, isMarked: frame.isWatermarkOnly)
        watermark = max(watermark, frame.watermark)
        end = frame.end
    }

    private mutating func keep(_ bytes: [UInt8], of frame: LogFrame) {
        // A mark vouches for all that precedes it, and nobody for the mark itself.
        if frame.isWatermarkOnly { forgetUnproved() }
        doubt(bytes, provedBy: frame.provedBy)
        let proved = unproved.prefix { $0.provedBy <= max(watermark, frame.watermark) }
        unprovedByteCount -= proved.reduce(0) { $0 + $1.bytes.count }
        if !proved.isEmpty { unproved.removeFirst(proved.count) }
        guard unprovedByteCount > Self.mostUnprovedByteCount else { return }
        forgetUnproved()
        hasForgotten = true
    }

    /// Of what others have written and nobody has flushed no more is kept in memory.
    static let mostUnprovedByteCount = 4 << 20

    /// Where the body ends of what looks like the next frame; `nil` when there is nothing of the kind.
    private func nextFrameEnd() throws(StorageError) -> Int? {
        let byteCount = try file.byteCount()
        for start in frameStarts {
            let header = try file.read(byteCount: LogFrameFormat.headerByteCount, at: start)
            let frame = header.withBytes { LogFrame(header: $0, at: start, salt: salt, fileByteCount: byteCount) }
            if let frame { return frame.bodyEnd }
        }
        return nil
    }

    /// Where the next frame begins, or a closing mark does.
    private var frameStarts: [Int] {
        let page = LogFrameFormat.markOffset(behind: end)
        return page == end ? [end] : [end, page]
    }

    /// Whether anything but zeros begins where the next frame may.
    private func hasBytesBehind() throws(StorageError) -> Bool {
        for start in frameStarts {
            let bytes = try file.read(byteCount: LogFrameFormat.headerByteCount, at: start)
            if bytes.contains(where: { $0 != 0 }) { return true }
        }
        return false
    }

    /// An opening makes a segment without frames once more, since the flush behind its name may have failed. The new one is the same.
    private mutating func reattach(
        _ names: StoreFiles, _ fileSystem: any FileSystem, _ mode: FileMode
    ) throws(StorageError) {
        // Not the file's own path: some disks know it by the one it was made under.
        let path = names.log(sequence)
        guard end == LogSegmentFormat.headerByteCount, try !file.isNamed(), try fileSystem.kind(of: path) != .absent
        else { return }
        let new = try fileSystem.openFile(path, mode)
        var reader = try LogReader(new, through: LogSegmentFormat.headerByteCount)
        let header = try reader.header()
        guard header.salt == salt, header.baseCommit == lastCommit, header.previousChecksum == lastChecksum else {
            return new.close()
        }
        file.close()
        file = new
    }

    /// Goes on to the segment behind this one, which was read to its end.
    ///
    /// - Returns: whether there is one, and it is this tail's now.
    private mutating func advance(
        _ names: StoreFiles, _ fileSystem: any FileSystem, _ mode: FileMode, _ news: inout News
    ) throws(StorageError) -> Bool {
        let path = names.log(sequence + 1)
        guard try fileSystem.kind(of: path) != .absent else {
            // One that is gone was overtaken by a snapshot, and one that is another was made anew by an opening.
            news.isElsewhere = try !file.isNamed()
            return false
        }
        let next = try fileSystem.openFile(path, mode)
        var reader = try LogReader(next, through: LogSegmentFormat.headerByteCount)
        let header = try reader.header()
        let isNext =
            header.sequence == sequence + 1 && header.generation == 0 && header.baseCommit == lastCommit
            && header.previousChecksum == lastChecksum
        guard isNext else {
            next.close()
            // One that was made for a snapshot which has not its name may never count.
            news.isElsewhere = true
            if header.generation > 0 {
                news.isElsewhere = try fileSystem.kind(of: names.snapshot(header.generation)) != .absent
            }
            return false
        }
        news.passedByteCount += end
        file.close()
        self = SegmentTail(starting: header, file: next, isWriter: keepsUnproved)
        return true
    }
}

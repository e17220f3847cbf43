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
        /// As torn, with sound frames behind the gap, which are set aside.
        case reordered(byteCount: Int)
        /// Once durable, now unreadable. Nothing may be cut.
        case rotten(Damage)
    }

    let header: LogSegmentHeader
    /// Byte offsets of the sound frames, in order.
    private(set) var frames: [Int] = []
    /// Behind the last sound frame.
    private(set) var end = LogSegmentFormat.headerByteCount
    private(set) var lastCommit: UInt64
    private(set) var lastChecksum: UInt32
    private(set) var lastTime: UInt64 = 0
    private(set) var watermark: UInt64
    private(set) var ending = End.clean

    /// `watermark` is what is known from elsewhere: the snapshot's commit, a later segment's base.
    init(_ bytes: RawSpan, path: String, watermark known: UInt64) throws(StorageError) {
        header = try LogSegmentHeader(decoding: bytes, path: path)
        lastCommit = header.baseCommit
        lastChecksum = header.previousChecksum
        watermark = max(known, header.baseCommit)
        let salt = header.salt
        while let frame = LogFrame(in: bytes, at: end, salt: salt), frame.previousChecksum == lastChecksum,
            frame.commit == (frame.isWatermarkOnly ? lastCommit : lastCommit + 1)
        {
            frames.append(end)
            lastCommit = frame.commit
            lastChecksum = frame.checksum
            lastTime = frame.time
            watermark = max(watermark, frame.watermark)
            end = frame.end
        }
        judge(bytes, salt, path)
    }

    /// Whether the segment was made for a generation that never came to be, `newest` being the newest there is: nothing was
    /// written to it, and what precedes it lies where it always did.
    func isAbandoned(newest generation: UInt64) -> Bool { header.generation > generation && frames.isEmpty }

    /// Nothing is ever written behind an abandoned segment, at `path`.
    static func hasFollowers(_ path: String) -> Damage {
        Damage(
            file: path, byteOffset: 52,
            finding: "the segment was made for a generation that never came to be, and others follow it")
    }

    private mutating func judge(_ bytes: RawSpan, _ salt: UInt32, _ path: String) {
        guard let lastByte = bytes.lastNonZero(from: end) else {
            if watermark > lastCommit { ending = .rotten(lost(path)) }
            return
        }
        // Frames start at multiples of eight, so no heuristics are needed to find the next sound one.
        var hasSoundFrames = false
        var position = end
        // Each false frame costs a checksum of what it claims to hold. An enemy's file may be full of them; a torn one is not.
        var budget = 64 * bytes.byteCount
        while position + LogFrameFormat.headerByteCount <= bytes.byteCount, position <= lastByte {
            if let frame = LogFrame(in: bytes, at: position, salt: salt) {
                hasSoundFrames = true
                watermark = max(watermark, frame.watermark)
                position = max(frame.end, position + LogFrameFormat.alignment)
            } else {
                if bytes.loadLittleEndian(at: position, as: UInt32.self) == LogFrameFormat.magic {
                    budget -= min(Int(bytes.loadLittleEndian(at: position + 4, as: UInt32.self)), bytes.byteCount)
                    guard budget > 0 else {
                        ending = .rotten(
                            Damage(file: path, byteOffset: end, finding: "what follows commit \(lastCommit) is no log"))
                        return
                    }
                }
                position += LogFrameFormat.alignment
            }
        }
        if watermark > lastCommit {
            ending = .rotten(lost(path))
        } else {
            ending = hasSoundFrames ? .reordered(byteCount: lastByte + 1 - end) : .torn(byteCount: lastByte + 1 - end)
        }
    }

    private func lost(_ path: String) -> Damage {
        Damage(
            file: path, byteOffset: end,
            finding: Self.commits(lastCommit + 1, watermark) + " durable once and cannot be read"
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

extension LogSegmentHeader {
    /// Why a segment at `path`, with the number `sequence` in its name, does not belong to `store`.
    func misplacement(in path: String, store: StoreIdentifier, sequence: UInt64) -> Damage? {
        if self.store != store {
            return Damage(file: path, byteOffset: 16, finding: "the segment and the snapshot are of different stores")
        }
        guard self.sequence == sequence else {
            return Damage(
                file: path, byteOffset: 32,
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
}

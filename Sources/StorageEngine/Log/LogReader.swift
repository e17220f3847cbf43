/// Reads a log segment through a window, so that neither a long segment nor a length that is a lie costs memory: a window, and
/// the payload of one frame whose checksum was right.
struct LogReader {
    let path: String
    /// When the reader was made; what a writer appends meanwhile is not looked at.
    let byteCount: Int
    private let source: Source?
    private var window: [UInt8] = []
    private var windowStart = 0

    private static let windowByteCount = 1 << 20

    /// Where the bytes come from, when they are not all in memory.
    struct Source {
        /// The bytes of a range that lies within the file; fewer when it was cut meanwhile.
        let read: (Range<Int>) throws(StorageError) -> [UInt8]
        /// The first stretch that is no hole, at or behind a place.
        let dataExtent: (Int) throws(StorageError) -> Range<Int>?
    }

    /// - Parameter limit: of the bytes that are looked at.
    init(_ file: any File, through limit: Int = .max) throws(StorageError) {
        self.init(
            path: file.path, byteCount: min(limit, try file.byteCount()),
            Source(
                read: { (range) throws(StorageError) in try file.read(byteCount: range.count, at: range.lowerBound) },
                dataExtent: { (place) throws(StorageError) in try file.dataExtent(from: place) }))
    }

    init(path: String, byteCount: Int, _ source: Source) {
        self.path = path
        self.byteCount = byteCount
        self.source = source
    }

    /// A segment that is in memory.
    init(_ bytes: [UInt8], path: String) {
        self.path = path
        source = nil
        byteCount = bytes.count
        window = bytes
    }

    // MARK: Bytes

    /// Bytes that lie within the file; fewer when it was cut meanwhile. Precondition: no more than a window.
    mutating func withBytes<Result>(
        _ range: Range<Int>, _ body: (RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let range = range.clamped(to: 0..<byteCount)
        if !(windowStart..<windowStart + window.count).contains(range), let source {
            precondition(range.count <= Self.windowByteCount, "a range fits the window")
            window = try source.read(
                range.lowerBound..<min(byteCount, range.lowerBound + Self.windowByteCount))
            windowStart = range.lowerBound
        }
        let held = range.clamped(to: windowStart..<windowStart + window.count)
        return try window.withBytes { (bytes) throws(StorageError) in
            try body(bytes.extracting(held.lowerBound - windowStart..<held.upperBound - windowStart))
        }
    }

    /// A copy of a range of any length.
    mutating func copy(_ range: Range<Int>) throws(StorageError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var position = range.lowerBound
        while position < range.upperBound {
            let stop = min(range.upperBound, position + Self.windowByteCount)
            bytes += try withBytes(position..<stop) { $0.copyBytes() }
            position = stop
        }
        return bytes
    }

    /// Visits a range a window at a time, passing over holes, until `body` gives something.
    private mutating func forEachWindow<Result>(
        in range: Range<Int>, overlapping overlap: Int = 0,
        _ body: (_ bytes: RawSpan, _ start: Int) throws(StorageError) -> Result?
    ) throws(StorageError) -> Result? {
        var position = range.lowerBound
        while position < range.upperBound {
            guard let extent = try dataExtent(from: position), extent.lowerBound < range.upperBound else { return nil }
            position = max(position, extent.lowerBound - overlap)
            let end = min(extent.upperBound, range.upperBound)
            while position < end {
                // What is held is not read again for who goes on within it.
                let held = windowStart + window.count
                let isHeld = windowStart <= position && position + overlap < held
                let stop = min(end, isHeld ? held : position + Self.windowByteCount)
                let start = position
                if let result = try withBytes(start..<stop, { (bytes) throws(StorageError) in try body(bytes, start) })
                {
                    return result
                }
                position = stop < end ? max(start + 1, stop - overlap) : end
            }
        }
        return nil
    }

    /// Where the file holds data at or behind a place; the rest are holes, which read as zeros.
    private func dataExtent(from position: Int) throws(StorageError) -> Range<Int>? {
        guard position < byteCount else { return nil }
        guard let source else { return position..<byteCount }
        return try source.dataExtent(position)
    }

    /// The first byte of a range that is not zero.
    mutating func firstNonZero(in range: Range<Int>) throws(StorageError) -> Int? {
        try forEachWindow(in: range) { (bytes, start) in
            bytes.firstNonZero(in: 0..<bytes.byteCount).map { start + $0 }
        }
    }

    /// Behind the last byte that is not zero, at or behind `start`; `start` when there is none.
    mutating func usedEnd(from start: Int) throws(StorageError) -> Int {
        var end = start
        let _: Never? = try forEachWindow(in: start..<max(start, byteCount)) { (bytes, place) in
            if let last = bytes.lastNonZero(from: 0) { end = place + last + 1 }
            return nil
        }
        return end
    }

    // MARK: Frames

    mutating func header() throws(StorageError) -> LogSegmentHeader {
        let path = path
        return try withBytes(0..<LogSegmentFormat.headerByteCount) { (bytes) throws(StorageError) in
            try LogSegmentHeader(decoding: bytes, path: path)
        }
    }

    /// The frame at `start`; `nil` when there is no whole and sound frame of this segment.
    mutating func frame(at start: Int, salt: UInt32) throws(StorageError) -> LogFrame? {
        guard let frame = try head(at: start, salt: salt), try isSound(frame) else { return nil }
        return frame
    }

    /// What the head of a frame at `start` says; `nil` when there is none of this segment. Its checksum is not looked at.
    private mutating func head(at start: Int, salt: UInt32) throws(StorageError) -> LogFrame? {
        guard start >= 0, start <= byteCount - LogFrameFormat.headerByteCount else { return nil }
        let byteCount = byteCount
        return try withBytes(start..<start + LogFrameFormat.headerByteCount) {
            LogFrame(header: $0, at: start, salt: salt, fileByteCount: byteCount)
        }
    }

    private mutating func isSound(_ frame: LogFrame) throws(StorageError) -> Bool {
        let header = try withBytes(frame.start..<frame.bodyStart) {
            CRC32C.checksum($0, before: LogFrameField.checksum)
        }
        return try checksum(of: frame.bodyStart..<frame.bodyEnd, seed: header) == frame.checksum
    }

    private mutating func checksum(of range: Range<Int>, seed: UInt32) throws(StorageError) -> UInt32 {
        var checksum = seed
        var position = range.lowerBound
        while position < range.upperBound {
            let stop = min(range.upperBound, position + Self.windowByteCount)
            checksum = try withBytes(position..<stop) { CRC32C.checksum($0, seed: checksum) }
            position = stop
        }
        return checksum
    }

    /// The operations of a sound frame; `nil` when they do not decode.
    ///
    /// - Throws: `.unknownFeatures` for a frame of a later version whose payload is something else.
    mutating func payload(of frame: LogFrame) throws(StorageError) -> [UInt8]? {
        try frame.features.requireReadable(path)
        let range = frame.bodyStart..<frame.bodyEnd
        if range.count <= Self.windowByteCount { return try withBytes(range) { frame.decode($0) } }
        guard let source else { return window.withBytes { frame.decode($0.extracting(range)) } }
        let stored = try source.read(range)
        return stored.withBytes { $0.byteCount == range.count ? frame.decode($0) : nil }
    }

    /// The frame that continues a log which ends at `end` with this commit and checksum: there, or a watermark at the next page.
    mutating func frame(
        behind end: Int, _ commit: UInt64, _ checksum: UInt32, salt: UInt32
    ) throws(StorageError) -> LogFrame? {
        if let frame = try frame(at: end, salt: salt), frame.follows(commit, checksum) { return frame }
        let page = LogFrameFormat.markOffset(behind: end)
        guard page > end, let mark = try frame(at: page, salt: salt) else { return nil }
        return mark.isWatermarkOnly && mark.follows(commit, checksum) ? mark : nil
    }

    /// The next sound frame at or behind `position` and before `end`, whatever lies between: found by its first bytes at any
    /// place.
    ///
    /// - Parameter budget: what it may cost to look at what turns out to be no frame: a head, and what that claims to hold where all but
    ///   its checksum is right. Below 0 when that was used up, and nothing was found.
    mutating func frame(
        searchingFrom position: Int, to end: Int, salt: UInt32, budget: inout Int
    ) throws(StorageError) -> LogFrame? {
        var position = position
        while let candidate = try firstMagic(from: position, to: end) {
            let head = try head(at: candidate, salt: salt)
            if let head, try isSound(head) { return head }
            budget -= LogFrameFormat.headerByteCount + (head?.storedByteCount ?? 0)
            guard budget >= 0 else { return nil }
            position = candidate + 1
        }
        return nil
    }

    private mutating func firstMagic(from position: Int, to end: Int) throws(StorageError) -> Int? {
        let magic = LogFrameFormat.magic
        return try forEachWindow(in: position..<max(position, end), overlapping: magic.count - 1) { (bytes, start) in
            bytes.firstOccurrence(of: magic).map { start + $0 }
        }
    }

    /// A budget for false frames: an enemy's file may be full of them, a torn one is not. First bytes alone never use it up, however many
    /// a value holds.
    var searchBudget: Int { 64 * byteCount }
}

extension Range<Int> {
    fileprivate func contains(_ other: Range<Int>) -> Bool {
        lowerBound <= other.lowerBound && other.upperBound <= upperBound
    }
}

/// A file's bytes in memory, read-only, for as long as this object lives.
///
/// Unlinking the file does not disturb it; truncating would (a read past the new end kills the process), which is why
/// no file of a store that may be mapped is ever truncated or overwritten.
///
/// Safe because `base` is followed by `byteCount` readable bytes until `release` is called, in `deinit`.
@safe public final class Mapping: @unchecked Sendable {
    // Safe to share because the bytes are never written after `init` and the release runs once, in `deinit`.
    let base: UnsafeRawPointer
    let byteCount: Int
    /// Whether the bytes are those of a file, which the system can drop and read again.
    let isOfFile: Bool
    private let willNeed: (Range<Int>) -> Void
    private let isCached: (_ byteOffset: Int) -> Bool
    private let release: () -> Void

    /// - Parameters:
    ///   - willNeed: asks the system to read bytes soon.
    ///   - isCached: whether the system has what lies at an offset.
    init(
        base: UnsafeRawPointer, byteCount: Int, isOfFile: Bool = true,
        willNeed: @escaping (Range<Int>) -> Void = { _ in }, isCached: @escaping (Int) -> Bool = { _ in true },
        release: @escaping () -> Void
    ) {
        unsafe self.base = base
        self.byteCount = byteCount
        self.isOfFile = isOfFile
        self.willNeed = willNeed
        self.isCached = isCached
        self.release = release
    }

    /// Bytes of no file, for file systems that have none to map.
    public convenience init(copying bytes: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 4096)
        unsafe bytes.withUnsafeBytes { unsafe copy.copyMemory(from: $0) }
        unsafe self.init(
            base: UnsafeRawPointer(copy.baseAddress!), byteCount: bytes.count, isOfFile: false,
            release: { unsafe copy.deallocate() })
    }

    /// A part of it, which keeps the whole.
    func part(_ range: Range<Int>) -> Mapping {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "the part lies within")
        // Safe because the bounds were checked, and the part holds the whole until it goes itself.
        return unsafe Mapping(
            base: base + range.lowerBound, byteCount: range.count, isOfFile: isOfFile,
            willNeed: { self.prefetch($0.lowerBound + range.lowerBound..<$0.upperBound + range.lowerBound) },
            isCached: { self.isCached($0 + range.lowerBound) }, release: { withExtendedLifetime(self) {} })
    }

    deinit { release() }

    func withBytes<Result, Failure>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(UnsafeRawBufferPointer(start: base, count: byteCount).bytes)
    }

    /// Asks the system to read bytes of the file soon, and does not wait for them.
    func prefetch(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "the bytes are the file's")
        willNeed(range)
    }

    /// Whether the system would have to read the file for what lies at some offsets, of which two are looked at: where a file is cached in part
    /// it may be wrong. Costs two system calls, a microsecond each.
    func isWaitLikely(at byteOffsets: some RandomAccessCollection<Int>) -> Bool {
        guard let last = byteOffsets.last else { return false }
        let middle = byteOffsets[byteOffsets.index(byteOffsets.startIndex, offsetBy: byteOffsets.count / 2)]
        precondition((0..<byteCount).contains(last) && (0..<byteCount).contains(middle), "the bytes are the file's")
        return !isCached(last) || !isCached(middle)
    }
}

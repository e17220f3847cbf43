import Synchronization

/// A mapped file of what can be made from a snapshot again, each 64 KiB checked the first time they are touched.
///
/// It is no part of the store's truth: one that is missing, damaged, or another snapshot's costs time and nothing else.
/// `Formats/SEARCH.md` draws it.
///
/// Safe because the mapping is as long as header, body and table say together, and because the words of checked bits, one
/// for every 64 chunks, live as long as this object.
@safe package final class CompanionFile: @unchecked Sendable {
    // Safe to share because everything is immutable but the bits, which only ever turn on, atomically.
    static let magic = Array("BOOKDBSE".utf8)
    static let formatVersion: UInt32 = 1
    static var headerByteCount: Int { CompanionField.headerChecksum.end }
    static let chunkByteCount = 1 << 16

    private let mapping: Mapping
    package let byteCount: Int
    private let checked: UnsafeMutablePointer<Atomic<UInt64>>
    private let checkedWordCount: Int

    /// `nil` for a file that is not whole or belongs to another snapshot. Touches the header and the table.
    init?(opening path: String, of snapshot: SnapshotIdentity, _ fileSystem: any FileSystem) {
        guard let file = try? fileSystem.openFile(path, .reading) else { return nil }
        defer { file.close() }
        guard let count = try? file.byteCount(), count >= Self.headerByteCount, let mapping = try? file.map(),
            let body = mapping.withBytes({ Self.bodyByteCount(in: $0, of: snapshot) })
        else { return nil }
        self.mapping = mapping
        byteCount = body
        checkedWordCount = (Self.chunkCount(body) + 63) / 64
        unsafe checked = .allocate(capacity: checkedWordCount)
        for index in 0..<checkedWordCount { unsafe (checked + index).initialize(to: Atomic(0)) }
    }

    deinit { unsafe checked.deinitialize(count: checkedWordCount).deallocate() }

    var mappedByteCount: Int { mapping.byteCount }
    var isOfFile: Bool { mapping.isOfFile }

    static func chunkCount(_ byteCount: Int) -> Int { (byteCount + chunkByteCount - 1) / chunkByteCount }

    private static func bodyByteCount(in file: RawSpan, of snapshot: SnapshotIdentity) -> Int? {
        guard file.byteCount >= headerByteCount, file.has(magic, in: CompanionField.magic),
            file.load(CompanionField.version) == formatVersion,
            file.load(CompanionField.headerChecksum) == CRC32C.checksum(file, before: CompanionField.headerChecksum),
            file.load(CompanionField.chunkByteCount) == chunkByteCount
        else { return nil }
        let found = SnapshotIdentity(
            store: StoreIdentifier(bytes: file.load(CompanionField.store)),
            generation: file.load(CompanionField.generation), checksum: file.load(CompanionField.snapshotChecksum))
        let count = file.load(CompanionField.bodyByteCount)
        guard found == snapshot, count < 1 << 48 else { return nil }
        let tableOffset = headerByteCount + Int(count)
        guard file.byteCount == tableOffset + chunkCount(Int(count)) * 4,
            CRC32C.checksum(file.extracting(tableOffset...)) == file.load(CompanionField.tableChecksum)
        else { return nil }
        return Int(count)
    }

    /// Lends bytes of the body, in place. Does nothing when they are not what was written, or not there.
    ///
    /// It gives nothing back, for callers of other modules, as `Entry.lendValue` does.
    package func lendBytes(_ range: Range<Int>, _ body: (RawSpan) -> Void) {
        guard range.lowerBound >= 0, range.upperBound <= byteCount, isSound(range) else { return }
        mapping.withBytes { file in
            body(file.extracting(Self.headerByteCount + range.lowerBound..<Self.headerByteCount + range.upperBound))
        }
    }

    private func isSound(_ range: Range<Int>) -> Bool {
        guard !range.isEmpty else { return true }
        for chunk in range.lowerBound / Self.chunkByteCount...(range.upperBound - 1) / Self.chunkByteCount {
            if unsafe checked[chunk >> 6].load(ordering: .acquiring) & (1 << UInt64(chunk & 63)) != 0 { continue }
            ask(for: chunk)
            guard check(chunk) else { return false }
        }
        return true
    }

    /// Read while its checksum is worked out, it would be waited for page by page.
    private func ask(for chunk: Int) {
        let start = Self.headerByteCount + chunk * Self.chunkByteCount
        let bytes = start..<min(start + Self.chunkByteCount, mapping.byteCount)
        if mapping.isWaitLikely(at: bytes) { mapping.prefetch(bytes) }
    }

    @inline(never)
    private func check(_ chunk: Int) -> Bool {
        let start = chunk * Self.chunkByteCount
        let isSound = mapping.withBytes { file in
            let end = min(start + Self.chunkByteCount, byteCount)
            let bytes = file.extracting(Self.headerByteCount + start..<Self.headerByteCount + end)
            let place = Self.headerByteCount + byteCount + chunk * 4
            return CRC32C.checksum(bytes) == file.loadLittleEndian(at: place, as: UInt32.self)
        }
        guard isSound else { return false }
        unsafe checked[chunk >> 6].bitwiseOr(1 << UInt64(chunk & 63), ordering: .acquiringAndReleasing)
        return true
    }
}

/// Where the companion of a snapshot lies, if there is one.
struct CompanionPlace: Sendable {
    private let path: String
    private let snapshot: SnapshotIdentity
    private let fileSystem: any FileSystem

    init(_ files: StoreFiles, _ snapshot: SnapshotFile, _ fileSystem: any FileSystem) {
        path = files.companion(snapshot.superblock.generation)
        self.snapshot = snapshot.identity
        self.fileSystem = fileSystem
    }

    func open() -> CompanionFile? { CompanionFile(opening: path, of: snapshot, fileSystem) }
}

import CFiles

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import Synchronization

/// A file descriptor. Closed when the object goes, at the latest.
final class PosixFile: File {
    let path: String
    /// -1 once closed.
    private let descriptor: Atomic<Int32>

    /// Apple's kernel refuses to transfer `Int32.max` bytes or more in one call, and Linux stops a page before.
    private static let transferLimit = 1 << 30

    init(descriptor: Int32, path: String) {
        self.descriptor = Atomic(descriptor)
        self.path = path
    }

    deinit { close() }

    func byteCount() throws(StorageError) -> Int {
        // Not `fstat`, which asks for the time of the last change, too: the flush behind the next write would have a new one to write down. Reads and
        // writes say where, so nobody minds where the descriptor stands.
        let end = lseek(number, 0, SEEK_END)
        guard end >= 0 else { throw .system("lseek", path, errno) }
        // A hole costs nothing: whoever sends a file may make it as long as numbers go, and what is reckoned from it would not fit them.
        guard end <= Self.maximumByteCount else { throw .system("lseek", path, EFBIG) }
        return Int(end)
    }

    /// 2^48: what the format's numbers of bytes go up to.
    private static let maximumByteCount = 1 << 48

    var overwritesInPlace: Bool { bookdb_overwrites_in_place(number) }

    func isNamed() throws(StorageError) -> Bool { try PosixOpening.Identity(of: number, path).isNamed(path) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at byteOffset: Int) throws(StorageError) -> Int {
        var done = 0
        while done < buffer.count {
            let wanted = min(buffer.count - done, Self.transferLimit)
            // Safe because the kernel writes at most `wanted` bytes, which are left of the buffer.
            let count = unsafe pread(number, buffer.baseAddress! + done, wanted, off_t(byteOffset + done))
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw .system("pread", path, errno)
            }
            done += count
        }
        return done
    }

    func write(_ bytes: UnsafeRawBufferPointer, at byteOffset: Int) throws(StorageError) {
        var done = 0
        while done < bytes.count {
            let wanted = min(bytes.count - done, Self.transferLimit)
            // Safe because the kernel reads at most `wanted` bytes, which are left of the buffer.
            let count = unsafe pwrite(number, bytes.baseAddress! + done, wanted, off_t(byteOffset + done))
            if count < 0 {
                if errno == EINTR { continue }
                throw .system("pwrite", path, errno)
            }
            // A write of nothing that is no error means the device cannot take more.
            if count == 0 { throw .diskFull(path: path) }
            done += count
        }
    }

    func reserve(byteCount: Int) throws(StorageError) {
        #if canImport(Darwin)
            let present = try self.byteCount()
            guard byteCount > present else { return }
            var request = fstore_t(
                fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
                fst_length: off_t(byteCount - present), fst_bytesalloc: 0)
            // A file system that knows no such request grows the file all the same; a full disk is then met by a write.
            guard unsafe fcntl(number, F_PREALLOCATE, &request) != -1 || Self.isUnknownRequest(errno) else {
                throw .system("F_PREALLOCATE", path, errno)
            }
            guard ftruncate(number, off_t(byteCount)) == 0 else { throw .system("ftruncate", path, errno) }
        #else
            var result: Int32
            repeat { result = posix_fallocate(number, 0, off_t(byteCount)) } while result == EINTR
            guard result == 0 else { throw .system("posix_fallocate", path, result) }
        #endif
    }

    func dataExtent(from byteOffset: Int) throws(StorageError) -> Range<Int>? {
        let end = try byteCount()
        guard byteOffset < end else { return nil }
        #if canImport(Darwin)
            // APFS is known to tell of holes where there is data, and what is passed over here counts as zeros.
            return byteOffset..<end
        #else
            let start = lseek(number, off_t(byteOffset), Self.seekData)
            guard start >= 0 else {
                // Nothing but a hole follows. A file system that cannot tell gives the rest as data.
                return errno == ENXIO ? nil : byteOffset..<end
            }
            let hole = lseek(number, start, Self.seekHole)
            return Int(start)..<(hole > start ? min(end, Int(hole)) : end)
        #endif
    }

    #if !canImport(Darwin)
        private static let seekData: Int32 = 3
        private static let seekHole: Int32 = 4
    #endif

    func truncate(byteCount: Int) throws(StorageError) {
        guard ftruncate(number, off_t(byteCount)) == 0 else { throw .system("ftruncate", path, errno) }
    }

    func flush(_ kind: FlushKind) throws(StorageError) {
        #if canImport(Darwin)
            try Self.flush(number, kind == .durable ? F_FULLFSYNC : F_BARRIERFSYNC, path)
        #else
            guard kind == .durable else { return }
            // Never retried: after a failure the kernel may have dropped the pages and call them clean.
            guard fdatasync(number) == 0 else { throw .system("fdatasync", path, errno) }
        #endif
    }

    #if canImport(Darwin)
        /// `fsync` leaves the bytes in the drive's cache on Apple platforms. Some file systems know neither request.
        static func flush(_ descriptor: Int32, _ request: Int32, _ path: String) throws(StorageError) {
            if fcntl(descriptor, request) != -1 { return }
            guard isUnknownRequest(errno) else { throw .system("F_FULLFSYNC", path, errno) }
            guard fsync(descriptor) == 0 else { throw .system("fsync", path, errno) }
        }

        private static func isUnknownRequest(_ code: Int32) -> Bool {
            code == ENOTSUP || code == EOPNOTSUPP || code == EINVAL || code == ENOTTY
        }
    #endif

    func discardCache() {
        #if os(Linux)
            // Pages that were flushed are clean, and clean pages go.
            _ = posix_fadvise(number, 0, 0, POSIX_FADV_DONTNEED)
        #endif
    }

    func map() throws(StorageError) -> Mapping {
        let byteCount = try byteCount()
        // Safe because the mapping has `byteCount` bytes until it is released, which happens once.
        guard byteCount > 0, let address = unsafe mmap(nil, byteCount, PROT_READ, MAP_SHARED, number, 0),
            unsafe address != MAP_FAILED
        else { throw .system("mmap", path, byteCount > 0 ? errno : EINVAL) }
        let span = unsafe UnsafeMutableRawPointer(address)
        // Read-ahead of a whole neighbourhood made a cold first page 100 times slower.
        unsafe madvise(span, byteCount, MADV_RANDOM)
        return unsafe Mapping(
            base: UnsafeRawPointer(span), byteCount: byteCount,
            willNeed: { range in
                // Advice begins at a page.
                let start = range.lowerBound & ~(Self.pageByteCount - 1)
                unsafe madvise(span + start, range.upperBound - start, MADV_WILLNEED)
            },
            isCached: { unsafe Self.isCached(span + ($0 & ~(Self.pageByteCount - 1))) },
            release: { unsafe munmap(span, byteCount) })
    }

    /// Whether the page that begins at an address is in memory; a system that does not tell says that it is.
    private static func isCached(_ address: UnsafeMutableRawPointer) -> Bool {
        #if canImport(Darwin)
            var state = CChar(MINCORE_INCORE)
        #else
            var state: UInt8 = 1
        #endif
        // Safe because the page is mapped, and a byte is written for it.
        return unsafe mincore(address, 1, &state) != 0 || state & 1 != 0
    }

    /// Of the system: 4 KiB, and 16 on Apple's.
    private static let pageByteCount = Int(getpagesize())

    func close() {
        let last = descriptor.exchange(-1, ordering: .relaxed)
        guard last >= 0 else { return }
        #if canImport(Darwin)
            _ = Darwin.close(last)
        #else
            _ = Glibc.close(last)
        #endif
    }

    private var number: Int32 { descriptor.load(ordering: .relaxed) }
}

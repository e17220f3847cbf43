#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import Synchronization

/// An advisory lock on a small file that names who had it last: the process, and a number that each such object has for itself. Whoever takes
/// the lock and finds its own name knows that nobody else has had it since.
///
/// `flock` belongs to the open file, so it ends with the process however the process ends; a leftover lock file is
/// harmless. It also keeps two stores of one process apart.
final class PosixFileLock: FileLock {
    private let path: String
    private let descriptor: Atomic<Int32>
    private let identity: PosixOpening.Identity
    private let text: [UInt8]
    private let wasLast = Atomic(false)

    init(path: String) throws(StorageError) {
        self.path = path
        let process = "\(getpid())"
        let padding = String(repeating: " ", count: max(0, 15 - process.count))
        text = Array("\(process)\(padding) \(UInt64.random(in: 0 ... .max).hexadecimal)\n".utf8)
        let descriptor = try PosixOpening.openOrCreate(path)
        self.descriptor = Atomic(descriptor)
        do throws(StorageError) {
            identity = try PosixOpening.Identity(of: descriptor, path)
        } catch {
            _ = close(descriptor)
            throw error
        }
        do throws(StorageError) {
            guard try take() else { throw .inUse(path: path, processIdentifier: holder) }
        } catch {
            unlock()
            throw error
        }
    }

    func take() throws(StorageError) -> Bool {
        let descriptor = descriptor.load(ordering: .relaxed)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            guard code == EWOULDBLOCK else { throw .system("flock", path, code) }
            return false
        }
        let isMine = readText() == text
        wasLast.store(isMine, ordering: .relaxed)
        if !isMine { try sign(descriptor) }
        return true
    }

    var isAsLeft: Bool { wasLast.load(ordering: .relaxed) }

    /// Says who holds the lock, before anything is changed under it.
    private func sign(_ descriptor: Int32) throws(StorageError) {
        // Always as long, so that nothing is cut: a file system may write out at once what was cut to nothing and written again.
        // Safe because the kernel reads `text` within its count during the call.
        if unsafe pwrite(descriptor, text, text.count, 0) == text.count { return }
        // When there is no room for it, at least nobody may find their own name there.
        guard ftruncate(descriptor, 0) != 0 else { return }
        let code = errno
        _ = flock(descriptor, LOCK_UN)
        throw .system("ftruncate", path, code)
    }

    func letGo() { _ = flock(descriptor.load(ordering: .relaxed), LOCK_UN) }

    var holder: Int32 { Int32(String(decoding: readText().prefix { $0 > 0x20 }, as: UTF8.self)) ?? 0 }

    private func readText() -> [UInt8] {
        var text = [UInt8](repeating: 0, count: self.text.count)
        // Safe because the kernel fills `text` within its count during the call.
        let count = unsafe pread(descriptor.load(ordering: .relaxed), &text, text.count, 0)
        return Array(text.prefix(max(0, count)))
    }

    deinit { unlock() }

    func requireStillOurs() throws(StorageError) {
        guard try identity.isNamed(path) else {
            throw .displaced(path: StoreFiles(directory: path).parent)
        }
    }

    func unlock() {
        let last = descriptor.exchange(-1, ordering: .relaxed)
        guard last >= 0 else { return }
        // A process that another thread has just begun holds the open file, too, until it runs its program. Closing alone
        // leaves the lock to it.
        _ = flock(last, LOCK_UN)
        _ = close(last)
    }
}

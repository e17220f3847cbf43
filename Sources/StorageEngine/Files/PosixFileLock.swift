#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import Synchronization

/// An advisory lock on a small file that names the process which holds it.
///
/// `flock` belongs to the open file, so it ends with the process however the process ends; a leftover lock file is
/// harmless. It also keeps two stores of one process apart.
final class PosixFileLock: FileLock {
    private let path: String
    private let descriptor: Atomic<Int32>

    init(path: String) throws(StorageError) {
        self.path = path
        descriptor = Atomic(try PosixOpening.openOrCreate(path))
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
        // Always as long, so that nothing is cut: a file system may write out at once what was cut to nothing and written again.
        let number = "\(getpid())"
        let name = Array((number + String(repeating: " ", count: max(0, 15 - number.count)) + "\n").utf8)
        // Safe because the kernel reads `name` within its count during the call.
        if readName() != name { _ = unsafe pwrite(descriptor, name, name.count, 0) }
        return true
    }

    func letGo() { _ = flock(descriptor.load(ordering: .relaxed), LOCK_UN) }

    var holder: Int32 { Int32(String(decoding: readName().prefix { $0 > 0x20 }, as: UTF8.self)) ?? 0 }

    private func readName() -> [UInt8] {
        var text = [UInt8](repeating: 0, count: 16)
        // Safe because the kernel fills `text` within its count during the call.
        let count = unsafe pread(descriptor.load(ordering: .relaxed), &text, text.count, 0)
        return Array(text.prefix(max(0, count)))
    }

    deinit { unlock() }

    func requireStillOurs() throws(StorageError) {
        guard try PosixOpening.isNamed(descriptor.load(ordering: .relaxed), path) else {
            throw .displaced(path: String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
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

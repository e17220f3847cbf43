#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The operating system's own files.
///
/// Safe because the kernel reads paths as C strings during the call only, and fills structures of the type it is given.
public struct PosixFileSystem: FileSystem {
    public init() {}

    public func kind(of path: String) throws(StorageError) -> PathKind {
        var status = stat()
        if unsafe stat(path, &status) == 0 { return PathKind(status) }
        // Also what a link that leads nowhere, or to itself, answers.
        guard [ENOENT, ENOTDIR, ELOOP].contains(errno) else { throw .system("stat", path, errno) }
        return try PosixOpening.kindWithoutFollowing(path)
    }

    public func kindWithoutFollowing(_ path: String) throws(StorageError) -> PathKind {
        try PosixOpening.kindWithoutFollowing(path)
    }

    public func permissions(of path: String) throws(StorageError) -> UInt16? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw .system("stat", path, errno) }
        return UInt16(truncatingIfNeeded: status.st_mode & 0o7777)
    }

    public func createDirectory(_ path: String, sharing: Sharing) throws(StorageError) {
        let parent = StoreFiles(directory: path).parent
        let isNew = unsafe mkdir(path, 0o700) == 0
        if isNew {
            PosixOpening.setPermissions(ofDirectory: path, sharing.directoryPermissions)
        } else {
            switch errno {
            case EEXIST: break
            case ENOENT where !path.isEmpty: throw .missingParent(path: path, parent: parent)
            default: throw .system("mkdir", path, errno)
            }
        }
        do throws(StorageError) {
            try flushDirectory(parent)
        } catch {
            #if canImport(Darwin)
                // A sandbox may let a program make a directory and not look at the one that it is in.
                if case .notPermitted = error { return }
            #endif
            // Another flush would prove nothing of a name that was there before: whoever comes next makes it anew.
            if isNew { unsafe rmdir(path) }
            throw error
        }
    }

    public func createUnflushedDirectory(_ path: String) throws(StorageError) {
        let parent = StoreFiles(directory: path).parent
        var status = stat()
        guard unsafe stat(parent, &status) == 0 else { throw .system("stat", parent, errno) }
        guard unsafe mkdir(path, 0o700) == 0 else {
            guard errno == EEXIST else { throw .system("mkdir", path, errno) }
            return
        }
        PosixOpening.setPermissions(ofDirectory: path, UInt16(truncatingIfNeeded: status.st_mode & 0o7777))
    }

    public func names(inDirectory path: String) throws(StorageError) -> [String] {
        guard let directory = unsafe opendir(path) else { throw .system("opendir", path, errno) }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while true {
            // An error looks like the end of the directory but for this.
            errno = 0
            guard let entry = unsafe readdir(directory) else {
                guard errno == 0 else { throw .system("readdir", path, errno) }
                return names
            }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                // Safe because `d_name` is a C string within its array, and the entry lives until the next `readdir`.
                unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    public func link(_ path: String, to target: String) throws(StorageError) -> Bool {
        // Safe because the system only reads the two paths, up to their final zeros, during the call.
        if unsafe systemLink(path, target) == 0 { return true }
        switch errno {
        case EXDEV, EPERM, ENOTSUP, EMLINK, ENOSYS: return false
        default: throw .system("link", path, errno)
        }
    }

    public func flushDirectory(_ path: String) throws(StorageError) {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("open", path, errno) }
        defer { close(descriptor) }
        #if canImport(Darwin)
            try PosixFile.flush(descriptor, F_FULLFSYNC, path)
        #else
            guard fsync(descriptor) == 0 else { throw .system("fsync", path, errno) }
        #endif
    }

    public func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        let descriptor =
            switch mode {
            case .reading: try PosixOpening.open(path, O_RDONLY)
            case .writing: try PosixOpening.open(path, O_RDWR)
            case .creating: try PosixOpening.replace(path)
            }
        return PosixFile(descriptor: descriptor, path: path)
    }

    public func rename(_ path: String, to target: String) throws(StorageError) {
        #if canImport(Darwin)
            let result = unsafe Darwin.rename(path, target)
        #else
            let result = unsafe Glibc.rename(path, target)
        #endif
        guard result == 0 else { throw .system("rename", path, errno) }
    }

    public func remove(_ path: String) throws(StorageError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .system("unlink", path, errno) }
    }

    public func removeDirectory(_ path: String) throws(StorageError) {
        guard unsafe rmdir(path) == 0 || errno == ENOENT else { throw .system("rmdir", path, errno) }
    }

    public func lock(_ path: String) throws(StorageError) -> any FileLock {
        try PosixFileLock(path: path)
    }

    public func watch(_ path: String, _ onChange: @escaping @Sendable () -> Void) -> any FileWatch {
        PosixFileWatch(path, onChange) ?? PollingWatch(onChange) as any FileWatch
    }

    public func freeByteCount(at directory: String) throws(StorageError) -> UInt64? {
        var status = statvfs()
        guard unsafe statvfs(directory, &status) == 0 else { throw .system("statvfs", directory, errno) }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }

    public var processIdentifier: Int32 { getpid() }

    public func now() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }
}

extension StorageError {
    /// What the operating system calls an error, such as "File too large".
    public static func words(forCode code: Int32) -> String {
        // Safe because the words are copied before another call of this thread could change them.
        unsafe String(cString: strerror(code))
    }

    /// The error for a system call that failed with `code`.
    static func system(_ operation: String, _ path: String, _ code: Int32) -> StorageError {
        switch code {
        case ENOSPC, EDQUOT: .diskFull(path: path)
        case EROFS: .readOnly(path: path)
        case EACCES, EPERM: .notPermitted(path: path)
        case ENOENT: .notFound(path: path)
        default: .inputOutput(operation: operation, path: path, code: code)
        }
    }

    /// Whether nothing was asked of the disk, since there was no room for another open file, or no memory for it.
    var isShortageOfFiles: Bool {
        guard case .inputOutput("open", _, let code) = self else { return false }
        return code == EMFILE || code == ENFILE || code == ENOMEM
    }
}

/// `link` of the system, under a name that the method of the file system does not hide.
private func systemLink(_ path: UnsafePointer<CChar>, _ target: UnsafePointer<CChar>) -> Int32 {
    // Safe because the one caller passes strings that end in a zero.
    unsafe link(path, target)
}

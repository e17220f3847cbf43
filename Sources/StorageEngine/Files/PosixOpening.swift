import CFiles

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Opening and creating a store's files, in directories that others may write to.
///
/// A file of a store is a regular one. Whoever puts a link, pipe or device in its place neither has the link followed nor
/// makes the opening wait.
///
/// Safe because the kernel reads paths as C strings during the call only, and fills structures of the type it is given.
enum PosixOpening {
    /// A file that exists.
    static func open(_ path: String, _ access: Int32) throws(StorageError) -> Int32 {
        // Without O_NONBLOCK a pipe waits until somebody opens its other end.
        let descriptor = Self.open(path, access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0)
        guard descriptor >= 0 else {
            let code = errno
            let kind = try kindWithoutFollowing(path)
            guard kind == .absent || kind == .file else { throw .notARegularFile(path: path, found: kind.description) }
            throw .system("open", path, code)
        }
        var status = stat()
        let isKnown = unsafe fstat(descriptor, &status) == 0
        if isKnown, PathKind(status) == .file { return descriptor }
        let code = errno
        close(descriptor)
        guard isKnown else { throw .system("fstat", path, code) }
        throw .notARegularFile(path: path, found: PathKind(status).description)
    }

    /// Which file it is: no other has the same as long as it is open.
    struct Identity {
        private let file: bookdb_file_identity

        init(of descriptor: Int32, _ path: String) throws(StorageError) {
            var file = bookdb_file_identity()
            let code = unsafe bookdb_identity_of_file(descriptor, &file)
            guard code == 0 else { throw .system("statx", path, code) }
            self.file = file
        }

        /// Whether a name leads to the file still, and not to nothing or another.
        func isNamed(_ path: String) throws(StorageError) -> Bool {
            var there = bookdb_file_identity()
            let code = unsafe bookdb_identity_of_name(path, &there)
            guard code == 0 else {
                if code == ENOENT || code == ENOTDIR { return false }
                throw .system("statx", path, code)
            }
            return there.device == file.device && there.number == file.number
        }
    }

    /// A new file, in place of whatever had its name.
    static func replace(_ path: String) throws(StorageError) -> Int32 {
        for _ in 0..<attempts {
            if let descriptor = try create(path) { return descriptor }
            let kind = try kindWithoutFollowing(path)
            guard kind != .directory else { throw .notARegularFile(path: path, found: kind.description) }
            guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .system("unlink", path, errno) }
        }
        throw .system("open", path, EEXIST)
    }

    /// The file that exists, or a new one.
    static func openOrCreate(_ path: String) throws(StorageError) -> Int32 {
        for _ in 0..<attempts {
            if let descriptor = try create(path) { return descriptor }
            do throws(StorageError) {
                return try open(path, O_RDWR)
            } catch {
                // Removed since.
                guard case .notFound = error else { throw error }
            }
        }
        throw .system("open", path, ENOENT)
    }

    /// Somebody who takes a name again as often as it is freed is given up on.
    private static let attempts = 8

    /// `nil` when something has the name.
    private static func create(_ path: String) throws(StorageError) -> Int32? {
        let directory = StoreFiles(directory: path).parent
        var status = stat()
        guard unsafe stat(directory, &status) == 0 else { throw .system("stat", directory, errno) }
        let descriptor = Self.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            guard errno == EEXIST else { throw .system("open", path, errno) }
            return nil
        }
        // The umask has no say in it. A file system without permissions refuses, and then there is nothing to protect.
        _ = fchmod(descriptor, status.st_mode & 0o666)
        return descriptor
    }

    /// Sets the permissions of a directory that was just created.
    static func setPermissions(ofDirectory path: String, _ permissions: UInt16) {
        let descriptor = Self.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return }
        _ = fchmod(descriptor, mode_t(permissions))
        #if canImport(Darwin) && !os(macOS)
            _ = fcntl(descriptor, setProtectionClass, protectedUntilFirstUnlock)
        #endif
        close(descriptor)
    }

    #if canImport(Darwin) && !os(macOS)
        /// Files that are made in a directory have its class. With the strictest, which an app may ask for in its entitlements, a locked device would take the
        /// bytes of a mapped snapshot away from who reads them, and end the process. An app that wants it sets it on the directory.
        private static let protectedUntilFirstUnlock: Int32 = 3
        /// `F_SETPROTECTIONCLASS`
        private static let setProtectionClass: Int32 = 64
    #endif

    static func kindWithoutFollowing(_ path: String) throws(StorageError) -> PathKind {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return .absent }
            throw .system("lstat", path, errno)
        }
        return PathKind(status)
    }

    private static func open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
        #if canImport(Darwin)
            unsafe Darwin.open(path, flags, mode)
        #else
            unsafe Glibc.open(path, flags, mode)
        #endif
    }
}

extension PathKind {
    init(_ status: stat) {
        self =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .link
            case S_IFIFO: .pipe
            case S_IFSOCK: .socket
            default: .device
            }
    }
}

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What the command asks of the operating system, in one place.
///
/// Safe because the system reads paths and names as C strings, and no more of a buffer than it is told, during the call
/// only; and because the texts it gives are copied before another call can change them.
enum SystemCalls {
    static let standardInput = STDIN_FILENO
    static let standardOutput = STDOUT_FILENO
    static let standardError = STDERR_FILENO

    /// Why a call failed: the number of the last error of this thread.
    struct Failure: Error, Equatable {
        let code: Int32

        static var last: Failure { Failure(code: errno) }
        static let brokenPipe = Failure(code: EPIPE)
        static let exists = Failure(code: EEXIST)
        static let absent = Failure(code: ENOENT)
        static let nameTooLong = Failure(code: ENAMETOOLONG)

        var isOfPermission: Bool { [EACCES, EPERM, EROFS].contains(code) }
        var words: String { unsafe String(cString: strerror(code)) }
    }

    /// Writes all of the bytes.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                #if canImport(Darwin)
                    unsafe Darwin.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
                #elseif canImport(Musl)
                    unsafe Musl.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
                #else
                    unsafe Glibc.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
                #endif
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw .last
            }
        }
    }

    /// A pipe by name opens at once, also where nobody writes to it yet.
    static func openForReading(_ path: String) throws(Failure) -> Int32 {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .last }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return descriptor
    }

    /// Whether a read would give something at once, be it the end or an error; waits for so many milliseconds.
    static func hasBytes(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // Safe because the system writes to this one structure, during the call.
        let found = unsafe poll(&request, 1, milliseconds)
        return found > 0 || (found < 0 && errno != EINTR)
    }

    /// Some bytes, none at the end.
    static func read(_ descriptor: Int32, upTo count: Int) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            let found = unsafe bytes.withUnsafeMutableBytes { bytes in
                #if canImport(Darwin)
                    unsafe Darwin.read(descriptor, bytes.baseAddress, count)
                #elseif canImport(Musl)
                    unsafe Musl.read(descriptor, bytes.baseAddress, count)
                #else
                    unsafe Glibc.read(descriptor, bytes.baseAddress, count)
                #endif
            }
            if found >= 0 {
                bytes.removeLast(count - found)
                return bytes
            }
            guard errno == EINTR else { throw .last }
        }
    }

    /// - Returns: whether all went well; the number of the error is that of the thread's last one otherwise.
    @discardableResult
    static func close(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            Darwin.close(descriptor) == 0
        #elseif canImport(Musl)
            Musl.close(descriptor) == 0
        #else
            Glibc.close(descriptor) == 0
        #endif
    }

    /// Creates a file that is not there yet, for writing, with no permission that a given directory does not have.
    static func create(_ path: String, forReadersOf directory: String?) throws(Failure) -> Int32 {
        var permissions: mode_t = 0o666
        if let directory {
            var status = stat()
            // A directory that may not be looked at is nobody else's business either.
            permissions &= unsafe stat(directory, &status) == 0 ? status.st_mode : 0o600
        }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
        guard descriptor >= 0 else { throw .last }
        return descriptor
    }

    /// Makes a written file durable and closes it.
    static func finish(_ descriptor: Int32) throws(Failure) {
        #if canImport(Darwin)
            // `fsync` leaves the bytes in the drive's cache. Some file systems know nothing else; what has failed is not tried in another way.
            let isFlushed =
                fcntl(descriptor, F_FULLFSYNC) != -1
                || [ENOTSUP, EOPNOTSUPP, EINVAL, ENOTTY].contains(errno) && fsync(descriptor) == 0
        #else
            let isFlushed = fsync(descriptor) == 0
        #endif
        let failure = Failure.last
        guard close(descriptor), isFlushed else { throw failure }
    }

    /// From 1 on: which of the arguments is not UTF-8. Swift puts other letters in its place.
    static var firstArgumentThatIsNoText: Int? {
        (1..<max(1, Int(CommandLine.argc))).first { index in
            // Safe because the system keeps so many texts, each with a zero at its end, as long as the process lives.
            unsafe CommandLine.unsafeArgv[index].map { unsafe String(validatingCString: $0) == nil } ?? false
        }
    }

    /// Gives a file another name, which nothing has: two that want it at once do not both get it.
    static func move(_ path: String, toNew name: String) throws(Failure) {
        if unsafe link(path, name) == 0 {
            removeFile(path)
            return
        }
        let failure = Failure.last
        // A file system without links can only look before.
        guard failure != .exists, !exists(name) else { throw .exists }
        guard unsafe rename(path, name) == 0 else { throw .last }
    }

    static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }

    /// `nil` for a path that the system takes.
    static func tooLong(_ path: String) -> Failure? {
        unsafe access(path, F_OK) != 0 && errno == ENAMETOOLONG ? .nameTooLong : nil
    }

    /// Whether there is nothing at a path. Of what may not be looked at, this is not known, and so not said.
    static func isAbsent(_ path: String) -> Bool {
        unsafe access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }

    /// The bytes of a file that can be read again and again; `nil` where a path leads to no such file.
    static func byteCount(ofFile path: String) -> Int? {
        var status = stat()
        // Safe because the system fills this one structure, during the call.
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// The names in a directory; none when it cannot be read.
    static func names(inDirectory path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    static func removeFile(_ path: String) {
        unsafe unlink(path)
    }

    static func removeEmptyDirectory(_ path: String) {
        unsafe rmdir(path)
    }

    static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// How many columns a terminal has; `nil` for what is none.
    static func columnCount(_ descriptor: Int32) -> Int? {
        var size = winsize()
        // Safe because the system fills the one structure it is told of, during the call.
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    static func environment(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// A reader that goes away ends the process, as it does every other command of a pipe.
    static func endWithReader() {
        signal(SIGPIPE, SIG_DFL)
    }

    /// A file that may not become larger is an error to tell, not the end of the process.
    static func endNoProcessForLargeFiles() {
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Whether this process may open so many files more. Where it may not, the runtime's event loop ends it without a word.
    static func canOpenFiles(_ count: Int) -> Bool {
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        while descriptors.count < count {
            let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return errno != EMFILE && errno != ENFILE }
            descriptors.append(descriptor)
        }
        return true
    }

    static func end(_ status: ExitStatus) -> Never {
        exit(status.rawValue)
    }
}

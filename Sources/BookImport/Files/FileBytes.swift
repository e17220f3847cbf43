#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file, or a pipe, open for reading from its beginning to its end. The only code of the importer that talks to the
/// operating system.
///
/// Closed when nobody refers to it any more; standard input stays open.
final class FileBytes: Sendable {
    let name: String

    /// Nil for what is no regular file.
    let byteCount: Int?

    private let descriptor: Int32
    private let isOwned: Bool

    /// Whether another opening would begin at the beginning: of standard input none does, and a pipe gives its bytes once.
    var canBeOpenedAgain: Bool { isOwned && byteCount != nil }

    /// - Throws: `ImportError` that says what is the matter with the path.
    convenience init(path: String) throws(ImportError) {
        // A pipe by name opens at once, also where nobody writes to it yet: `read` waits, and can be cancelled.
        // Safe because `open` only reads the path, which outlives the call, up to its final zero.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: throw .notFound(path: path)
            case EACCES, EPERM: throw .notPermitted(path: path)
            default: throw .notReadable(name: path, reason: Self.reason(errno))
            }
        }
        self.init(name: path, descriptor: descriptor, isOwned: true)
        if isDirectory { throw .isDirectory(path: path) }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }

    static func standardInput() -> FileBytes {
        FileBytes(name: "standard input", descriptor: STDIN_FILENO, isOwned: false)
    }

    private init(name: String, descriptor: Int32, isOwned: Bool) {
        self.name = name
        self.descriptor = descriptor
        self.isOwned = isOwned
        let status = Self.status(of: descriptor)
        byteCount = status.flatMap { $0.st_mode & S_IFMT == S_IFREG ? Int($0.st_size) : nil }
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// Reads some bytes, waiting for them if need be; nil at the end.
    ///
    /// - Throws: `ImportError.notReadable`; `CancellationError` once the flag is set.
    func read(upTo count: Int, unless cancellation: CancellationFlag) throws -> [UInt8]? {
        try waitForBytes(unless: cancellation)
        while true {
            var failure: Int32 = 0
            // Safe because the system writes at most `count` bytes to the buffer, which has room for them, and the
            // array takes over exactly as many as it says it wrote.
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
                let result = unsafe systemRead(descriptor, buffer.baseAddress, count)
                failure = result < 0 ? errno : 0
                initializedCount = max(0, result)
            }
            switch failure {
            case 0: return bytes.isEmpty ? nil : bytes
            case EINTR: continue
            default: throw ImportError.notReadable(name: name, reason: Self.reason(failure))
            }
        }
    }

    /// Waits until a pipe has something to read, looking up five times a second whether anybody still wants it.
    private func waitForBytes(unless cancellation: CancellationFlag) throws {
        if cancellation.isSet { throw CancellationError() }
        guard byteCount == nil else { return }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // Safe because the system writes to the one structure it is told of, during the call.
        while true {
            let found = unsafe poll(&request, 1, 200)
            guard found == 0 || (found < 0 && errno == EINTR) else { return }
            if cancellation.isSet { throw CancellationError() }
        }
    }

    private var isDirectory: Bool {
        Self.status(of: descriptor).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    }

    private static func status(of descriptor: Int32) -> stat? {
        var status = stat()
        // Safe because the system fills the one structure it is told of, during the call.
        return unsafe fstat(descriptor, &status) == 0 ? status : nil
    }

    private static func reason(_ code: Int32) -> String {
        // Safe because the text is copied before another call on this thread can change it.
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "system error \(code)"
    }
}

/// `read` of the system, under a name that the method of the class does not hide.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    // Safe because the one caller passes a buffer with room for so many bytes.
    unsafe read(descriptor, buffer, count)
}

/// Everything the engine asks of an operating system. One seam, so that a test can put a disk under it that
/// forgets, tears and fails.
public protocol FileSystem: Sendable {
    /// Follows symbolic links: `.link` is one that leads nowhere.
    func kind(of path: String) throws(StorageError) -> PathKind
    /// The same of the path itself: a link is `.link`, wherever it leads.
    func kindWithoutFollowing(_ path: String) throws(StorageError) -> PathKind
    /// Also flushes the parent directory, so that the new one survives. Only does that when the directory exists, which keeps
    /// its permissions.
    func createDirectory(_ path: String, sharing: Sharing) throws(StorageError)
    /// A directory that may be lost: with the permissions of the one it lies in, and without a flush. One that exists is left as it is.
    func createUnflushedDirectory(_ path: String) throws(StorageError)
    /// The names in a directory, in no order, without `.` and `..`.
    func names(inDirectory path: String) throws(StorageError) -> [String]
    /// The permission bits of what is at a path, as `chmod` takes them; `nil` where files have none.
    func permissions(of path: String) throws(StorageError) -> UInt16?
    /// Flushes the directory's entries: what was created, renamed or removed in it survives a power cut.
    func flushDirectory(_ path: String) throws(StorageError)
    /// Opens regular files only: neither follows a link nor waits for a pipe, and throws `.notARegularFile` for them.
    func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File
    /// Replaces `target` when there is one; a directory only an empty one. Atomic, and durable only after `flushDirectory`.
    func rename(_ path: String, to target: String) throws(StorageError)
    /// Gives a file a second name. `false` where it can have only one: on another medium, and where file systems know no such.
    func link(_ path: String, to target: String) throws(StorageError) -> Bool
    /// A file that is already gone is not an error.
    func remove(_ path: String) throws(StorageError)
    /// An empty one. One that is already gone is not an error.
    func removeDirectory(_ path: String) throws(StorageError)
    /// Holds `path` for this process until the lock is let go. Throws `.inUse` when somebody else holds it.
    func lock(_ path: String) throws(StorageError) -> any FileLock
    /// Calls `onChange`, on a thread that has nothing else to do, when a file was written to. Several writes in a
    /// row may be told of as one.
    func watch(_ path: String, _ onChange: @escaping @Sendable () -> Void) -> any FileWatch
    /// Milliseconds since 1970. Stamps commits for people; nothing is decided by it.
    func now() -> UInt64
    /// Bytes that this process may still write to the disk that holds a directory; `nil` where nobody knows.
    func freeByteCount(at directory: String) throws(StorageError) -> UInt64?
    /// Of this process; 0 where there are none. For people, too.
    var processIdentifier: Int32 { get }
}

public enum PathKind: Sendable, Hashable {
    case absent, file, directory, link, pipe, socket, device
}

extension PathKind: CustomStringConvertible {
    public var description: String {
        switch self {
        case .absent: "nothing"
        case .file: "a file"
        case .directory: "a directory"
        case .link: "a symbolic link"
        case .pipe: "a named pipe"
        case .socket: "a socket"
        case .device: "a device"
        }
    }
}

public enum FileMode: Sendable {
    case reading
    /// The file must exist.
    case writing
    /// A new, empty file. Whatever had its name before is removed, and neither opened nor followed. Everybody may read and
    /// write it who may read and write its directory.
    case creating
}

public enum FlushKind: Sendable {
    /// On the medium when it returns (`fdatasync`; `F_FULLFSYNC` on Apple platforms).
    case durable
    /// Earlier writes reach the medium before later ones (`F_BARRIERFSYNC` on Apple platforms, nothing elsewhere).
    case ordered
}

/// An open file. Offsets and counts are bytes.
public protocol File: AnyObject, Sendable {
    var path: String { get }
    func byteCount() throws(StorageError) -> Int
    /// Fills the buffer from `byteOffset`; fewer bytes only at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at byteOffset: Int) throws(StorageError) -> Int
    /// Writes all bytes or throws.
    func write(_ bytes: UnsafeRawBufferPointer, at byteOffset: Int) throws(StorageError)
    /// Reserves real blocks up to `byteCount` and grows the file to it; the new bytes read as zeros.
    func reserve(byteCount: Int) throws(StorageError)
    func truncate(byteCount: Int) throws(StorageError)
    func flush(_ kind: FlushKind) throws(StorageError)
    /// Lets the system forget what it has cached of the file, so that the next reads come from the medium. A request: systems
    /// that cannot be asked do nothing.
    func discardCache()
    /// The first stretch of data at or behind a place; the rest of the file are holes, which read as zeros. `nil` when there is
    /// none. A file system that knows no holes gives everything.
    func dataExtent(from byteOffset: Int) throws(StorageError) -> Range<Int>?
    /// Whether its name leads to it still, and not to nothing or another file.
    func isNamed() throws(StorageError) -> Bool
    /// Whether bytes that are written once more go to the blocks that they have.
    var overwritesInPlace: Bool { get }
    /// Maps the whole file for reading.
    func map() throws(StorageError) -> Mapping
    func close()
}

/// A lock that is held, or was let go to be taken again; letting the object go releases it.
public protocol FileLock: AnyObject, Sendable {
    /// Takes the lock again after `letGo`. `false` when somebody else holds it.
    func take() throws(StorageError) -> Bool
    /// Whether nobody else has held the lock since this one let it go. `false` where nobody knows.
    ///
    /// Precondition: it is held, and was let go before.
    var isAsLeft: Bool { get }
    /// Lets others have the lock, and keeps what is needed to take it again.
    func letGo()
    /// The process that wrote its name last: while `take` gives `false`, who holds it. 0 where nobody knows.
    var holder: Int32 { get }
    /// Throws `.displaced` when the file that is locked is no longer the one at its path. The names of the other files then
    /// lead nowhere, or into somebody else's store.
    func requireStillOurs() throws(StorageError)
    /// For good.
    func unlock()
}

extension FileSystem {
    public var processIdentifier: Int32 { 0 }

    /// Where there are no links.
    public func kindWithoutFollowing(_ path: String) throws(StorageError) -> PathKind { try kind(of: path) }

    public func watch(_ path: String, _ onChange: @escaping @Sendable () -> Void) -> any FileWatch {
        PollingWatch(onChange)
    }

    public func createUnflushedDirectory(_ path: String) throws(StorageError) {
        try createDirectory(path, sharing: .owner)
    }

    /// Where directories are nothing but a part of names there is none to remove.
    public func removeDirectory(_ path: String) throws(StorageError) {}

    public func permissions(of path: String) throws(StorageError) -> UInt16? { nil }

    public func freeByteCount(at directory: String) throws(StorageError) -> UInt64? { nil }

    public func link(_ path: String, to target: String) throws(StorageError) -> Bool { false }
}

extension FileSystem {
    /// Refuses what the disk that holds a directory has no room for. Where the system does not say what is free nothing is refused.
    ///
    /// - Parameters:
    ///   - needed: bytes, about.
    ///   - least: with less than so many it cannot be; `nil` for `needed`.
    ///   - path: what they are for.
    /// - Throws: `.tooLittleSpace`.
    func requireSpace(
        _ needed: UInt64, atLeast least: UInt64? = nil, in directory: String, for path: String
    ) throws(StorageError) {
        guard let free = try freeByteCount(at: directory), free < least ?? needed else { return }
        throw .tooLittleSpace(path: path, needed: needed, free: free)
    }
}

extension FileLock {
    public var isAsLeft: Bool { false }

    public var holder: Int32 { 0 }

    public func requireStillOurs() throws(StorageError) {}
}

extension File {
    public func discardCache() {}

    public var overwritesInPlace: Bool { true }

    public func dataExtent(from byteOffset: Int) throws(StorageError) -> Range<Int>? {
        let end = try byteCount()
        return byteOffset < end ? byteOffset..<end : nil
    }

    package func write(_ bytes: [UInt8], at byteOffset: Int) throws(StorageError) {
        try bytes.withBytes { (bytes) throws(StorageError) in try write(bytes, at: byteOffset) }
    }

    package func write(_ bytes: RawSpan, at byteOffset: Int) throws(StorageError) {
        // Safe because a file only reads the bytes, and only during the call.
        try unsafe bytes.withUnsafeBytes { (bytes) throws(StorageError) in
            try unsafe write(bytes, at: byteOffset)
        }
    }

    package func read(byteCount: Int, at byteOffset: Int) throws(StorageError) -> [UInt8] {
        // Of no bytes Swift would write the count into the one empty array that all threads share.
        guard byteCount > 0 else { return [] }
        // Safe because a file tells how many bytes of the buffer it has filled.
        return try unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { (buffer, count) throws(StorageError) in
            count = try unsafe read(into: UnsafeMutableRawBufferPointer(buffer), at: byteOffset)
        }
    }
}

import StorageEngine

/// Bytes that can be had again, kept beside a library for some time: `store.cache`.
///
/// ```swift
/// let key = "cover of \(hobbit)"
/// store.cache.set(key, [0x89, 0x50, 0x4E, 0x47], for: .days(7))
/// let cover = store.cache.value(for: key)
/// ```
///
/// The blobs lie in `cache`, a directory within the library's, and are no part of the library: they are in no commit, snapshot, copy or
/// export, nothing verifies them, and the directory may be removed at any time. A library in memory keeps them in memory.
///
/// A blob is lost when its lifetime is over, when others need the room, in a crash, or when its file is damaged. It is never anything
/// but what was set under its key. Processes that have the library open share the blobs. One that has it open for reading only reads them and writes none.
///
/// Reading opens one file and reads it; writing makes one and renames it, and flushes nothing. Each goes to the disk, so do it off the main actor where a
/// slow one may not hold up an interface, as `CachedValues` does.
public final class BlobCache: Sendable {
    private struct State: Sendable {
        var byteLimit: Int
        /// What is known of the directory: since its last listing, what this process has written and read.
        var blobs = UseTable<BlobName, Void>()
        var isListed = false
        /// A thread lists the directory.
        var isListing = false
        /// What was set since that began, which may have found what was there before.
        var setSinceListing: Set<BlobName> = []
        /// When it has done so it makes room, where there is more than the limit.
        var isRoomWanted = false
        var byteCountSinceListing = 0
        var lastError: LibraryError?
        var dependents: [Dependent] = []
    }

    private struct Dependent: Sendable {
        weak var values: (any MemoryReleasing)?
    }

    let files: BlobFiles
    private let isInMemory: Bool
    private let state: Lock<State>
    private let name: @Sendable ([UInt8]) -> BlobName
    /// Milliseconds since 1970.
    let now: @Sendable () -> UInt64

    /// 64 MiB.
    public static let standardByteLimit = 64 << 20

    /// - Parameters:
    ///   - isInMemory: whether the files are not on a disk, so that they are memory that can be released.
    ///   - now: milliseconds since 1970.
    ///   - name: the file of a key.
    package init(
        _ files: BlobFiles, byteLimit: Int = standardByteLimit, isInMemory: Bool = false,
        now: @escaping @Sendable () -> UInt64 = { PosixFileSystem().now() },
        name: @escaping @Sendable ([UInt8]) -> BlobName = BlobName.init(key:)
    ) {
        self.files = files
        self.isInMemory = isInMemory
        self.now = now
        self.name = name
        state = Lock(State(byteLimit: byteLimit))
    }

    /// The blobs take at most so many bytes, each in whole blocks of 4 KiB; 64 MiB unless it is set. Counts from the next `set` on, also one that does not fit.
    ///
    /// When there are more, those go that nobody has used for the longest time, until an eighth is free. Of several processes each counts what it writes and lists
    /// the directory again after an eighth of the limit, so that together they may be above it by an eighth each.
    public var byteLimit: Int {
        get { state.withLock { $0.byteLimit } }
        set { state.withLock { $0.byteLimit = max(0, newValue) } }
    }

    /// Why the last call that had to write could not; `nil` when it could.
    public var lastError: LibraryError? { state.withLock { $0.lastError } }

    // MARK: Blobs

    /// Keeps bytes under a key for some time, in place of what was there.
    ///
    /// The first call in a process and then one for every eighth of the limit list the directory and open each blob.
    ///
    /// - Parameters:
    ///   - key: at most 1,024 bytes of UTF-8, and compared by them. It says all that the bytes depend on, such as the size of a thumbnail.
    ///   - bytes: at most 16 MiB, and seven eighths of the limit.
    ///   - lifetime: counts from now. `.none` removes what was there.
    /// - Returns: whether they are kept: not while a library is being opened and nothing of it can be read yet. If not, what was there is removed, where the
    ///   library can be written to, or is being opened for that, and `lastError` says why; with `.none` nothing is.
    @discardableResult
    public func set(_ key: String, _ bytes: [UInt8], for lifetime: CacheLifetime) -> Bool {
        set(key, bytes, for: lifetime, of: nil)
    }

    /// - Parameter store: the store that the bytes were made for; `nil` for the one that is open.
    @discardableResult
    func set(_ key: String, _ bytes: [UInt8], for lifetime: CacheLifetime, of store: [UInt8]?) -> Bool {
        let key = Array(key.utf8)
        do throws(LibraryError) {
            try checkSize(key, bytes)
            let time = now()
            let blob = Blob(key: key, bytes: bytes, written: time, lifetime: lifetime.milliseconds)
            guard lifetime.milliseconds > 0 else {
                remove(name(key))
                return false
            }
            let name = name(key)
            state.withLock { state in if state.isListing { state.setSinceListing.insert(name) } }
            let byteCount = try translatingErrors { try files.write(blob, name, of: store) }
            state.withLock { state in
                state.lastError = nil
                state.blobs.set(name, (), byteCount: byteCount, used: time)
                state.byteCountSinceListing += byteCount
                if state.isListing { state.setSinceListing.insert(name) }
            }
            makeRoom()
            return true
        } catch {
            remove(name(key))
            // A limit for which it is too large may be one that the others pass.
            if case .tooLarge = error, files.currentStore != nil { makeRoom() }
            state.withLock { $0.lastError = error }
            return false
        }
    }

    /// The bytes under a key; `nil` when there are none, or their time is over.
    public func value(for key: String) -> [UInt8]? { blob(for: key)?.bytes }

    /// Does nothing when there is nothing under the key, or the library is open for reading only. While it is being opened for writing the blob goes at once.
    public func remove(_ key: String) { remove(name(Array(key.utf8))) }

    /// Removes every blob. Does nothing when the library is open for reading only.
    public func removeAll() {
        guard !files.isReadOnly else { return }
        note { () throws(StorageError) in try files.removeAll() }
        forget()
    }

    /// How many bytes the blobs take, in whole blocks of 4 KiB: as of the last listing, and what this process has written since. Lists the directory when
    /// the process has not yet, and makes no room: they may be above the limit.
    public var byteCount: Int {
        if !state.withLock({ $0.isListed }) { list() }
        return state.withLock { $0.blobs.byteCount }
    }

    /// What the cache holds in memory: values that `CachedValues` have decoded, and what is known of the directory.
    var memory: (values: Int, table: Int) {
        let (dependents, table) = state.withLock { state in
            (state.dependents.compactMap(\.values), state.blobs.tableByteCount)
        }
        return (dependents.reduce(0) { $0 + $1.memoryByteCount }, table)
    }

    /// Lets go of memory that can be filled again: what is known of the directory, what `CachedValues` over this cache hold, and the blobs themselves when the
    /// library is in memory.
    public func releaseMemory() {
        let dependents = state.withLock { $0.dependents.compactMap(\.values) }
        dependents.forEach { $0.releaseMemory() }
        if isInMemory { removeAll() } else { forget() }
    }

    /// The bytes under a key, and the time within which they may be given.
    func blob(for key: String) -> (bytes: [UInt8], validity: Range<UInt64>)? {
        let key = Array(key.utf8)
        let name = name(key)
        // A file that cannot be read just now may be whole.
        guard let finding = try? files.read(name) else { return nil }
        switch finding {
        case .absent:
            state.withLock { $0.blobs.remove(name) }
            return nil
        case .later: return nil
        case .damaged:
            remove(name)
            return nil
        case .blob(let blob, let used):
            guard blob.key == key else { return nil }
            let time = now()
            let validity = blob.validity
            guard validity.contains(time) else {
                // Written at a time that is yet to come: the clock was set back, and may be set right again.
                if time >= validity.upperBound { remove(name) }
                return nil
            }
            noteUse(of: name, blob, at: time, used: used)
            return (blob.bytes, validity)
        }
    }

    /// The identifier of the store beside which the blobs lie; `nil` while it is not known.
    var store: [UInt8]? { files.currentStore }

    /// What holds values made of blobs lets go of them with the cache.
    func add(_ values: any MemoryReleasing) {
        state.withLock { state in
            state.dependents.removeAll { $0.values == nil }
            state.dependents.append(Dependent(values: values))
        }
    }
}

// MARK: - Uses and room

extension BlobCache {
    /// How old the last use that a file has may be before it is written again: an hour, so that scrolling through a list of covers writes nothing.
    private static var useResolution: UInt64 { 3_600_000 }

    private func noteUse(of name: BlobName, _ blob: Blob, at time: UInt64, used: UInt64) {
        state.withLock { state in
            if state.blobs.use(name, at: time) == nil {
                let byteCount = BlobFiles.countedByteCount(key: blob.key, bytes: blob.bytes)
                state.blobs.set(name, (), byteCount: byteCount, used: time)
            }
        }
        // Whatever stands in the file: no checksum covers it.
        let isRecent = used <= time && time - used < Self.useResolution
        if !isRecent, !files.isReadOnly { try? files.setUsed(time, name) }
    }

    private func makeRoom() {
        let isNeeded = state.withLock { state in
            guard
                !state.isListed || state.byteCountSinceListing >= max(1, state.byteLimit / 8)
                    || state.blobs.byteCount > state.byteLimit
            else { return false }
            state.isRoomWanted = true
            return !state.isListing
        }
        if isNeeded { list() }
    }

    /// Looks through the directory, where expired blobs and what is none are removed, and makes room where somebody wants that.
    private func list() {
        let isMine = state.withLock { state in
            defer { state.isListing = true }
            if !state.isListing { (state.byteCountSinceListing, state.setSinceListing) = (0, []) }
            return !state.isListing
        }
        guard isMine else { return }
        #if canImport(Darwin)
            leaveOutOfDeviceBackups()
        #endif
        let known = state.withLock { $0.blobs }
        let found: [BlobFiles.Surveyed]
        do throws(StorageError) {
            found = try files.survey()
        } catch {
            state.withLock { state in
                (state.isListing, state.isRoomWanted) = (false, false)
                state.lastError = LibraryError(error)
            }
            return
        }
        let isFound = Set(found.map(\.name))
        let unwanted = state.withLock { state -> [BlobName] in
            // No earlier than what other threads have noted.
            let time = now()
            let isNew = state.setSinceListing
            let old = found.filter { !isNew.contains($0.name) }
            let expired = old.filter { ($0.header?.validity.upperBound ?? .max) <= time }.map(\.name)
            let isExpired = Set(expired)
            for blob in old where !isExpired.contains(blob.name) {
                // A blob of a later version, or of a time that is yet to come, is of no use now.
                let used = blob.header.map { $0.written <= time ? min($0.used, time) : 0 } ?? 0
                state.blobs.learn(blob.name, (), byteCount: blob.byteCount, used: used, at: time)
            }
            // What was known before and is gone. What was written meanwhile may be missing in the listing.
            state.blobs.removeAll { name, _ in
                isExpired.contains(name) || !isFound.contains(name) && known[name] != nil && !isNew.contains(name)
            }
            state.isListed = true
            let isTooMuch = state.isRoomWanted && state.blobs.byteCount > state.byteLimit
            (state.isListing, state.isRoomWanted) = (false, false)
            return expired + (isTooMuch ? state.blobs.shrink(to: state.byteLimit - state.byteLimit / 8) : [])
        }
        guard !files.isReadOnly else { return }
        // What was set since then is known again, and stays.
        for name in unwanted where state.withLock({ $0.blobs[name] == nil }) { try? files.remove(name) }
    }

    private func remove(_ name: BlobName) {
        guard !files.isReadOnly else { return }
        note { () throws(StorageError) in try files.remove(name) }
        state.withLock { $0.blobs.remove(name) }
    }

    private func forget() {
        state.withLock { state in
            state.blobs = UseTable()
            state.isListed = false
        }
    }

    private func note(_ body: () throws(StorageError) -> Void) {
        do throws(StorageError) {
            try body()
        } catch {
            state.withLock { $0.lastError = LibraryError(error) }
        }
    }

    private func checkSize(_ key: [UInt8], _ bytes: [UInt8]) throws(LibraryError) {
        guard !files.isReadOnly else { throw .readOnly(path: files.directory) }
        guard key.count <= Blob.maximumKeyByteCount else {
            throw .invalidArgument(
                "A key of the cache has at most \(Blob.maximumKeyByteCount) bytes, and this one has \(key.count).")
        }
        let limit = byteLimit
        guard bytes.count <= Blob.maximumByteCount,
            BlobFiles.countedByteCount(key: key, bytes: bytes) <= limit - limit / 8
        else {
            throw .tooLarge(
                "A blob of \(bytes.count) bytes does not fit into the cache: it takes \(Blob.maximumByteCount) bytes at most, "
                    + "and seven eighths of its limit, \(limit).")
        }
    }
}

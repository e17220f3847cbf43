import Synchronization

/// The files of a cache: a directory of blobs, one a file, beside a store's own files.
///
/// Nothing of it is flushed and nothing locks it. A blob is written under a temporary name and renamed, and checked whenever it is
/// read; so a crash, or another process at the same files, can lose blobs and can not make others of them.
package final class BlobFiles: Sendable {
    package let directory: String
    private let store: @Sendable () -> [UInt8]?
    private let readsOnly: @Sendable () -> Bool
    private let fileSystem: any FileSystem
    /// Keeps apart the temporary files of processes that write to one directory.
    private let token: UInt64
    private let temporaryCount = Atomic(0)

    /// - Parameters:
    ///   - store: the identifier of the store beside which it lies, 16 bytes: blobs of another one are not given.
    ///   - token: random.
    package convenience init(
        directory: String, store: [UInt8], fileSystem: any FileSystem, isReadOnly: Bool = false,
        token: UInt64 = .random(in: 0 ... .max)
    ) {
        precondition(store.count == 16, "a store identifier has 16 bytes")
        self.init(
            directory: directory, fileSystem: fileSystem, store: { store }, isReadOnly: { isReadOnly }, token: token)
    }

    /// Of a store that may still be opening.
    ///
    /// - Parameter store: `nil` while it is not known which store it is: no blob is given or taken then.
    init(
        directory: String, fileSystem: any FileSystem, store: @escaping @Sendable () -> [UInt8]?,
        isReadOnly: @escaping @Sendable () -> Bool, token: UInt64 = .random(in: 0 ... .max)
    ) {
        self.directory = directory
        self.store = store
        self.fileSystem = fileSystem
        readsOnly = isReadOnly
        self.token = token
    }

    package var isReadOnly: Bool { readsOnly() }

    /// The identifier of the store; `nil` while it is not known which one it is.
    package var currentStore: [UInt8]? { store() }

    /// What a name leads to.
    package enum Finding: Sendable {
        case absent
        case blob(Blob, used: UInt64)
        /// A file of a later version, which this one does not read.
        case later
        /// Not what was written, or another store's.
        case damaged
    }

    /// Reads and checks a file: one opening and two reads.
    package func read(_ name: BlobName) throws(StorageError) -> Finding {
        guard let file = try open(path(name), .reading) else { return .absent }
        defer { file.close() }
        let (reading, byteCount) = try header(of: file)
        switch reading {
        case .later: return .later
        case .damaged: return .damaged
        case .header(let header):
            guard header.fileByteCount == byteCount else { return .damaged }
            let bytes = try file.read(byteCount: byteCount, at: 0)
            // Longer or shorter a moment ago: somebody else has changed it in place.
            guard bytes.count == byteCount, let blob = bytes.withBytes({ Blob(header, decoding: $0) }) else {
                return .damaged
            }
            return .blob(blob, used: header.used)
        }
    }

    /// Writes a file, in place of the one that has its name.
    ///
    /// - Parameter store: that of another store is given to nobody; `nil` for the one that is open.
    /// - Returns: the bytes that count against a limit.
    package func write(_ blob: Blob, _ name: BlobName, of store: [UInt8]? = nil) throws(StorageError) -> Int {
        guard let store = store ?? self.store() else { throw .opening(path: directory) }
        let bytes = blob.encoded(store: store)
        let number = UInt64(temporaryCount.add(1, ordering: .relaxed).newValue)
        let temporary = directory + "/" + BlobName.temporary(for: name, of: token, number)
        let file = try create(temporary)
        do throws(StorageError) {
            defer { file.close() }
            try file.write(bytes, at: 0)
        } catch {
            try? fileSystem.remove(temporary)
            throw error
        }
        do throws(StorageError) {
            try fileSystem.rename(temporary, to: path(name))
        } catch {
            try? fileSystem.remove(temporary)
            throw error
        }
        return Self.countedByteCount(bytes.count)
    }

    /// Writes when a blob was last used, into its file. A file that somebody has put in its place since gets it, too.
    package func setUsed(_ time: UInt64, _ name: BlobName) throws(StorageError) {
        try requireOwnDirectory()
        guard let file = try open(path(name), .writing) else { return }
        defer { file.close() }
        guard case .header = try header(of: file).reading else { return }
        var bytes: [UInt8] = []
        bytes.append(littleEndian: time)
        try file.write(bytes, at: BlobField.used.offset)
    }

    package func remove(_ name: BlobName) throws(StorageError) {
        try requireOwnDirectory()
        try fileSystem.remove(path(name))
    }

    /// A file that takes room, and what its beginning says of it.
    package struct Surveyed: Sendable {
        package let name: BlobName
        package let byteCount: Int
        /// `nil` for a later version's.
        package let header: BlobHeader?
    }

    /// All files of the directory: an opening and a read for each. Those that are no blobs of this store, and what writers of other processes left that
    /// were stopped, are removed. Where nothing may be written, they are passed over.
    package func survey() throws(StorageError) -> [Surveyed] {
        var blobs: [Surveyed] = []
        for fileName in try names() {
            guard let name = BlobName(fileName: fileName) else {
                // Perhaps another process is just writing it. Then its blob is lost, which does no harm.
                if isOthersTemporary(fileName) { discard(fileName) }
                continue
            }
            guard let file = try? open(path(name), .reading) else { continue }
            defer { file.close() }
            guard let (reading, byteCount) = try? header(of: file) else { continue }
            switch reading {
            case .header(let header) where header.fileByteCount == byteCount:
                blobs.append(Surveyed(name: name, byteCount: Self.countedByteCount(byteCount), header: header))
            case .later:
                blobs.append(Surveyed(name: name, byteCount: Self.countedByteCount(byteCount), header: nil))
            case .header, .damaged: discard(fileName)
            }
        }
        return blobs
    }

    /// Every file of a cache; others that lie in its directory stay, and what another thread is just writing.
    package func removeAll() throws(StorageError) {
        for name in try names() where BlobName(fileName: name) != nil || isOthersTemporary(name) {
            try fileSystem.remove(directory + "/" + name)
        }
    }

    /// The files, with those that are no blobs, and their bytes: a listing, and an opening for each.
    package func size() throws(StorageError) -> (fileCount: Int, byteCount: Int) {
        var size = (fileCount: 0, byteCount: 0)
        for name in try names() {
            guard let file = try? open(directory + "/" + name, .reading) else { continue }
            defer { file.close() }
            size.fileCount += 1
            size.byteCount += (try? file.byteCount()) ?? 0
        }
        return size
    }

    /// A file takes blocks of 4 KiB on most systems; counting those bounds the files, too.
    package static func countedByteCount(_ byteCount: Int) -> Int { (byteCount + 4095) & ~4095 }

    /// What a blob would count against a limit.
    package static func countedByteCount(key: [UInt8], bytes: [UInt8]) -> Int {
        countedByteCount(BlobHeader.headerByteCount + key.count + bytes.count)
    }

    // MARK: Pieces

    private func path(_ name: BlobName) -> String { directory + "/" + name.fileName }

    /// Not what a thread of this process is writing: it removes that itself where it fails.
    private func isOthersTemporary(_ fileName: String) -> Bool {
        BlobName.temporaryToken(fileName).map { $0 != token } ?? false
    }

    private func discard(_ fileName: String) {
        guard !isReadOnly else { return }
        try? fileSystem.remove(directory + "/" + fileName)
    }

    /// Whoever made the library may have put a link in the directory's place: nothing is written or removed where that leads.
    private func requireOwnDirectory() throws(StorageError) {
        let kind = try fileSystem.kindWithoutFollowing(directory)
        guard kind == .directory || kind == .absent else {
            throw .notARegularFile(path: directory, found: kind.description)
        }
    }

    /// None when there is no directory.
    private func names() throws(StorageError) -> [String] {
        try requireOwnDirectory()
        do throws(StorageError) {
            return try fileSystem.names(inDirectory: directory)
        } catch {
            guard case .notFound = error else { throw error }
            return []
        }
    }

    private func open(_ path: String, _ mode: FileMode) throws(StorageError) -> (any File)? {
        do throws(StorageError) {
            return try fileSystem.openFile(path, mode)
        } catch {
            guard case .notFound = error else { throw error }
            return nil
        }
    }

    /// Makes the directory when it is not there, or was removed.
    private func create(_ path: String) throws(StorageError) -> any File {
        try requireOwnDirectory()
        if try fileSystem.kind(of: directory) == .absent { try fileSystem.createUnflushedDirectory(directory) }
        return try fileSystem.openFile(path, .creating)
    }

    private func header(of file: any File) throws(StorageError) -> (reading: BlobHeader.Reading, byteCount: Int) {
        let byteCount = try file.byteCount()
        let reading = try file.read(byteCount: min(byteCount, BlobHeader.headerByteCount), at: 0)
            .withBytes(BlobHeader.reading)
        guard let store = store() else { return (.later, byteCount) }
        if case .header(let header) = reading, header.store != store || !header.isWithinLimits {
            return (.damaged, byteCount)
        }
        return (reading, byteCount)
    }
}

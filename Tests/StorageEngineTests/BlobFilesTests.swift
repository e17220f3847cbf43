import Synchronization
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@testable import StorageEngine

/// The files of a cache, read and written one by one.
@Suite struct BlobFilesTests {
    private static let store = Array("0123456789abcdef".utf8)
    private static let directory = "Cache"

    private let fileSystem = MemoryFileSystem()
    private let files: BlobFiles

    init() { files = BlobFiles(directory: Self.directory, store: Self.store, fileSystem: fileSystem) }

    private func blob(_ key: String, _ bytes: [UInt8] = [1, 2, 3]) -> (name: BlobName, blob: Blob) {
        let key = Array(key.utf8)
        return (BlobName(key: key), Blob(key: key, bytes: bytes, written: 1000, lifetime: 5000))
    }

    @discardableResult
    private func write(_ key: String, _ bytes: [UInt8] = [1, 2, 3]) throws -> String {
        let (name, blob) = blob(key, bytes)
        _ = try files.write(blob, name)
        return Self.directory + "/" + name.fileName
    }

    private func read(_ key: String) throws -> Blob? {
        guard case .blob(let blob, _) = try files.read(BlobName(key: Array(key.utf8))) else { return nil }
        return blob
    }

    @Test func `nothing is written or removed where a link in the place of the directory leads`() async throws {
        try await withTemporaryDirectory { directory in
            let (here, there) = (directory + "/cache", directory + "/elsewhere")
            let disk = PosixFileSystem()
            let other = BlobFiles(directory: there, store: Array("another store ...".utf8.prefix(16)), fileSystem: disk)
            let (name, blob) = blob("theirs")
            _ = try other.write(blob, name)
            #expect(unsafe symlink(there, here) == 0)
            let files = BlobFiles(directory: here, store: Self.store, fileSystem: disk)
            let (own, content) = self.blob("own")
            #expect(throws: StorageError.notARegularFile(path: here, found: "a symbolic link")) {
                _ = try files.write(content, own)
            }
            #expect(throws: StorageError.self) { _ = try files.survey() }
            #expect(throws: StorageError.self) { try files.removeAll() }
            #expect(throws: StorageError.self) { try files.remove(name) }
            #expect(try disk.names(inDirectory: there) == [name.fileName])
        }
    }

    @Test func `the example of the page is what is written, under its name`() throws {
        let page = try #require(FormatPage("CACHE.md"))
        let example = page.lines.drop { $0 != "## Example" }
        let digits = example.filter { $0.hasPrefix("    ") }.joined().split(separator: " ")
        let key = Array("cover".utf8)
        let blob = Blob(
            key: key, bytes: [0x89, 0x50, 0x4E, 0x47], written: 1_767_225_600_000, lifetime: 7 * 86_400_000)
        #expect(blob.encoded(store: Self.store) == digits.compactMap { UInt8($0, radix: 16) })
        #expect(example.contains { $0.hasPrefix("`\(BlobName(key: key).fileName)`") })
    }

    @Test func `a blob is read as it was written, and the last one counts`() throws {
        #expect(try read("one") == nil)
        for bytes in [[], [7], [UInt8](repeating: 9, count: 100_000)] {
            try write("one", bytes)
            #expect(try read("one") == blob("one", bytes).blob)
        }
        #expect(try fileSystem.names(inDirectory: Self.directory).count == 1)
    }

    @Test func `a file with any bit flipped, or cut to any length, is not served`() throws {
        let path = try write("a key")
        let bytes = try fileSystem.bytes(of: path)
        for index in bytes.indices where !BlobField.used.range.contains(index) {
            for bit in 0..<8 {
                var spoiled = bytes
                spoiled[index] ^= 1 << bit
                try fileSystem.replace(path, with: spoiled)
                #expect(try read("a key") == nil, "byte \(index), bit \(bit)")
            }
        }
        for count in 0..<bytes.count {
            try fileSystem.replace(path, with: Array(bytes[..<count]))
            #expect(try read("a key") == nil, "\(count) bytes")
        }
        try fileSystem.replace(path, with: bytes + [0])
        #expect(try read("a key") == nil)
    }

    @Test func `the time of the last use may be anything, and changes nothing of the blob`() throws {
        let path = try write("a key")
        for time in [0, 5, UInt64.max] {
            try files.setUsed(time, BlobName(key: Array("a key".utf8)))
            #expect(try fileSystem.bytes(of: path).load(BlobField.used) == time)
            #expect(try read("a key") == blob("a key").blob)
        }
    }

    @Test func `a lifetime without an end does not run over`() throws {
        let blob = Blob(key: [1], bytes: [], written: .max - 5, lifetime: .max)
        _ = try files.write(blob, BlobName(key: [1]))
        #expect(try files.survey().first?.header?.validity == .max - 5 ..< .max)
    }

    @Test func `a blob of another store is neither served nor kept`() throws {
        let path = try write("a key")
        let other = BlobFiles(
            directory: Self.directory, store: Array("another store's.".utf8), fileSystem: fileSystem)
        guard case .damaged = try other.read(BlobName(key: Array("a key".utf8))) else {
            Issue.record("it was served")
            return
        }
        #expect(try other.survey().isEmpty && fileSystem.kind(of: path) == .absent)
    }

    @Test func `a survey removes what is damaged and what a stopped writer left, and nothing else`() throws {
        try write("sound")
        let damaged = try write("damaged")
        try fileSystem.replace(damaged, with: [1, 2, 3])
        let later = try write("later")
        var bytes = try fileSystem.bytes(of: later)
        bytes.store(2, in: BlobField.version)
        try fileSystem.replace(later, with: bytes)
        let left = Self.directory + "/0123456789abcdef-0123456789abcdef-0000000000000001.tmp"
        let others = ["notes.txt", "x.tmp", "A123456789abcdef.blob", "1.blob"].map { Self.directory + "/" + $0 }
        for path in [left] + others { try fileSystem.replace(path, with: []) }

        let reader = BlobFiles(
            directory: Self.directory, store: Self.store, fileSystem: fileSystem, isReadOnly: true)
        #expect(try reader.survey().count == 2)
        #expect(fileSystem.kind(of: damaged) == .file && fileSystem.kind(of: left) == .file)

        let found = try files.survey()
        #expect(Set(found.map { $0.header == nil }) == [true, false])
        #expect(fileSystem.kind(of: damaged) == .absent && fileSystem.kind(of: left) == .absent)
        #expect(fileSystem.kind(of: later) == .file && others.allSatisfy { fileSystem.kind(of: $0) == .file })
        try files.removeAll()
        #expect(try fileSystem.names(inDirectory: Self.directory).count == others.count)
    }

    @Test func `a listing leaves alone what another thread of the process is just writing`() throws {
        let disk = FaultyFileSystem()
        let files = BlobFiles(directory: Self.directory, store: Self.store, fileSystem: disk)
        let other = BlobFiles(directory: Self.directory, store: Self.store, fileSystem: disk)
        disk.fail { call, _ in
            // It is written, and has not its name yet.
            if call == .rename {
                _ = try? files.survey()
                try? files.removeAll()
            }
            return nil
        }
        let (name, blob) = blob("a key")
        _ = try files.write(blob, name)
        #expect(try disk.names(inDirectory: Self.directory) == [name.fileName])
        // Nobody knows whether another process writes it, or has ended.
        #expect(throws: StorageError.self) { try other.write(blob, name) }
    }

    @Test func `a disk that fails at any call loses a blob at most, and leaves no file of it`() throws {
        for call in 0..<6 {
            let disk = FaultyFileSystem()
            let files = BlobFiles(directory: Self.directory, store: Self.store, fileSystem: disk)
            _ = try files.write(blob("kept").blob, blob("kept").name)
            let count = Mutex(0)
            disk.fail { _, path in
                let number = count.withLock { count in
                    defer { count += 1 }
                    return count
                }
                return number == call ? .inputOutput(operation: "call \(number)", path: path, code: 5) : nil
            }
            let isWritten = (try? files.write(blob("next").blob, blob("next").name)) != nil
            disk.fail(nil)
            guard case .blob = try files.read(blob("kept").name) else {
                Issue.record("call \(call)")
                continue
            }
            if case .blob(let found, _) = try files.read(blob("next").name) {
                #expect(isWritten && found == blob("next").blob)
            }
            #expect(try disk.names(inDirectory: Self.directory).count == (isWritten ? 2 : 1))
        }
    }

    // MARK: On a real disk, beside a store

    @Test func `the directory and its files have the permissions of the store's`() async throws {
        try await withTemporaryDirectory { folder in
            for sharing in [Sharing.owner, .group] {
                let path = folder + "/\(sharing)"
                var options = Options()
                options.sharing = sharing
                let database = try Database.open(at: path, trees: numberTrees, options: options)
                let (name, blob) = blob("a key")
                _ = try database.cacheFiles().write(blob, name)
                let disk = PosixFileSystem()
                #expect(try disk.permissions(of: path + "/cache") == disk.permissions(of: path))
                #expect(
                    try disk.permissions(of: path + "/cache/" + name.fileName) == (sharing == .owner ? 0o600 : 0o660))
                try await database.close()
            }
        }
    }

    @Test func `a link in the place of a blob is not followed`() async throws {
        try await withTemporaryDirectory { folder in
            let disk = PosixFileSystem()
            let files = BlobFiles(directory: folder + "/cache", store: Self.store, fileSystem: disk)
            let (name, blob) = blob("a key")
            _ = try files.write(blob, name)
            let path = folder + "/cache/" + name.fileName
            try disk.rename(path, to: folder + "/elsewhere")
            #expect(symlink("../elsewhere", path) == 0)
            #expect(throws: StorageError.self) { try files.read(name) }
            #expect(try files.survey().isEmpty && disk.kind(of: folder + "/elsewhere") == .file)
            // A new blob takes the link's place.
            _ = try files.write(blob, name)
            #expect(try PosixOpening.kindWithoutFollowing(path) == .file)
        }
    }

    @Test func `a store with a cache opens, compacts, is verified and is copied as one without`() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/S"
            var database = try Database.open(at: path, trees: numberTrees)
            try await database.put(0..<100)
            for number in 0..<50 {
                let (name, blob) = blob("key \(number)")
                _ = try database.cacheFiles().write(blob, name)
            }
            try await database.compact()
            let copy = try await database.scratchCopy()
            #expect(try !PosixFileSystem().names(inDirectory: copy.path).contains("cache"))
            copy.remove()
            try await database.close()
            #expect(try Verifier.verify(at: path).isSound)
            let inspection = try StoreInspection(at: path)
            #expect(inspection.cacheFileCount == 50 && inspection.cacheByteCount > 50 * 56)
            #expect(!inspection.files.contains { $0.role == .foreign })
            #expect(try !Salvage(at: path, fileSystem: PosixFileSystem()).report.isNothing)
            database = try Database.open(at: path, trees: numberTrees)
            #expect(database.opening.damage == nil && database.version.commitNumber == 1)
            // Its directory can be removed at any time.
            let cache = path + "/cache"
            for name in try PosixFileSystem().names(inDirectory: cache) {
                try PosixFileSystem().remove(cache + "/" + name)
            }
            try PosixFileSystem().removeDirectory(cache)
            let (name, blob) = blob("again")
            _ = try database.cacheFiles().write(blob, name)
            try await database.close()
            #expect(try Verifier.verify(at: path).isSound)
        }
    }

    @Test func `a repair's directory that holds a cache is somebody's library, and nothing of it is removed`() {
        #expect(!StoreFiles.isKnown("cache") && !StoreFiles.isOfStore("cache"))
    }
}

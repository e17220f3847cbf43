import LibrarySupport
import StorageEngine
import Synchronization
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

struct OpeningTests {
    private let path = "Library.bookdb"

    @Test func `a library that is opened again has everything, and goes on counting`() async throws {
        let fileSystem = MemoryFileSystem()
        let seed = SeededGenerator.seed(for: "a library that is opened again has everything")
        var history = LibraryHistory(seed: seed)
        var exported: [String] = []
        for round in 0..<4 {
            let store = try BookStore(at: path, fileSystem: fileSystem, device: 1 + UInt32(round))
            #expect(try lines(store.snapshot) == exported)
            for _ in 0..<20 {
                history = try await store.write(.ordered) { [history] library in
                    var history = history
                    for _ in 0..<5 { try history.step(&library) }
                    return history
                }
            }
            if round == 1 { try await store.compact() }
            exported = try lines(store.snapshot)
            expectSound(store.snapshot)
            try await store.close()
            #expect(try BookStore.verify(at: path, fileSystem: fileSystem).isSound)
        }
        #expect(history.model.works.keys.allSatisfy { $0.device == 1 }, "the device is drawn once")
    }

    @Test func `a library opened for reading refuses writes and sees what was committed`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try BookStore(at: path, fileSystem: fileSystem)
        try await store.add("Emma")
        try await store.write { library in try library.insert(Work("Persuasion")) }
        let reader = try BookStore(at: path, access: .readOnly, fileSystem: fileSystem)
        #expect(reader.snapshot.works.list().titles == ["Emma", "Persuasion"])
        #expect(await libraryError { try await reader.add("Sanditon") } == .readOnly(path: path))
        #expect {
            try BookStore(at: path, fileSystem: fileSystem)
        } throws: { error in
            if case .inUse = error as? LibraryError { true } else { false }
        }
        try await store.close()
    }

    @Test func `where no library is, one is begun for writing and missed for reading`() async throws {
        let fileSystem = MemoryFileSystem()
        #expect(throws: LibraryError.notFound(path: path)) {
            try BookStore(at: path, access: .readOnly, fileSystem: fileSystem)
        }
        let store = try BookStore(at: path, fileSystem: fileSystem)
        #expect(try store.snapshot.works.count == 0)
        try await store.close()
        #expect(try BookStore(at: path, access: .readOnly, fileSystem: fileSystem).snapshot.works.list().isEmpty)
    }

    @Test func `a library of a newer format is left alone`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try BookStore(at: path, fileSystem: fileSystem)
        try await store.add("Emma")
        try await store.write { library in
            try library.put(.bigEndian(7), forKey: LibraryMeta.Name.format, in: LibraryTree.meta)
        }
        try await store.close()
        #expect(throws: LibraryError.tooNew(path: path, found: 7, supported: 1)) {
            try BookStore(at: path, fileSystem: fileSystem)
        }
    }

    @Test func `when the filing rules changed, the next transaction files everything anew`() async throws {
        let fileSystem = MemoryFileSystem()
        var history = LibraryHistory(seed: 5)
        let store = try BookStore(at: path, fileSystem: fileSystem)
        for _ in 0..<40 {
            history = try await store.write(.memory) { [history] library in
                var history = history
                for _ in 0..<5 { try history.step(&library) }
                return history
            }
        }
        let expected = store.snapshot.works.list(by: .author).map(\.id)
        try await misfile(store)
        #expect(try LibraryMeta(store.snapshot.version)?.isFiledAsNow == false)
        for check in LibraryVerifier.verify(store.snapshot).checks where check.name != "counts" {
            #expect(check.passed, "what other rules filed is no damage: \(check.items)")
        }
        try await store.close()

        let reopened = try BookStore(at: path, fileSystem: fileSystem)
        history = try await reopened.write { [history] library in
            var history = history
            try history.step(&library)
            return history
        }
        expectSound(reopened.snapshot)
        #expect(reopened.snapshot.works.list().map(\.id) == history.model.list(.title, .all))
        #expect(reopened.snapshot.works.list(by: .author).map(\.id) == history.model.list(.author, .all))
        #expect(!expected.isEmpty)
        try await reopened.close()
    }

    @Test func `opening files everything anew also when nobody writes`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try BookStore(at: path, fileSystem: fileSystem)
        for title in ["The Hobbit", "Emma"] { try await store.add(title, by: "Somebody") }
        try await misfile(store)
        try await store.close()

        let reopened = try BookStore(at: path, fileSystem: fileSystem)
        var commits = reopened.commits.makeAsyncIterator()
        if try LibraryMeta(reopened.snapshot.version)?.isFiledAsNow == false { _ = await commits.next() }
        #expect(try LibraryMeta(reopened.snapshot.version)?.isFiledAsNow == true)
        expectSound(reopened.snapshot)
        try await reopened.close()
    }

    /// More than a transaction may hold at some hundred thousand works: it is given up before it begins, and a load makes them anew.
    @Test(arguments: [BookStore.Access.exclusive, .shared])
    func `when the filing rules changed, a large library is filed anew by a load`(access: BookStore.Access) async throws
    {
        let fileSystem = MemoryFileSystem()
        var store = try BookStore(at: path, access: access, fileSystem: fileSystem)
        try await store.fill(withSample: 5_500)
        let titles = store.snapshot.works.list().titles
        try await misfile(store)
        let snapshot = try snapshotName(fileSystem)
        let commit = store.snapshot.commitNumber
        // In the same process, as after a commit of another with older rules.
        try await store.add("Zuleika Dobson", by: "Max Beerbohm")
        #expect(try snapshotName(fileSystem) != snapshot && store.snapshot.commitNumber == commit + 2)
        #expect(store.snapshot.works.list().titles.sorted() == (titles + ["Zuleika Dobson"]).sorted())
        expectSound(store.snapshot)
        try await misfile(store)
        try await store.close()

        store = try BookStore(at: path, access: access, fileSystem: fileSystem)
        // Several at once, while the opening may have begun.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask { [store] in try await store.add("Number \(number)", by: "Max Beerbohm") }
            }
            try await group.waitForAll()
        }
        #expect(store.snapshot.works.list().count == titles.count + 5)
        expectSound(store.snapshot)
        try await store.close()
    }

    /// A load writes the whole library, so a page that has nothing to do with the rules keeps it from ending.
    @Test func `where a load cannot file a large library anew, a transaction does`() async throws {
        let disk = FullDisk()
        let store = try BookStore(at: path, fileSystem: disk)
        try await store.fill(withSample: 5_500)
        try await misfile(store)
        let snapshot = try snapshotName(disk)
        disk.isFull = true
        try await store.add("Zuleika Dobson", by: "Max Beerbohm")
        disk.isFull = false
        #expect(try snapshotName(disk) == snapshot)
        #expect(store.snapshot.works.list().count == 5_501)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `an inspection counts what is in the library and where its bytes are`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try BookStore(at: path, fileSystem: fileSystem)
        for number in 0..<100 { try await store.add("Book \(number)", by: "Author \(number % 9)", status: .read) }
        try await store.compact()
        try await store.write { library in try library.insert(Work("Emma")) }
        let inspection = try BookStore.inspect(at: path, fileSystem: fileSystem)
        #expect(try inspection.books.works == 101)
        #expect(try inspection.books.authors == 9)
        #expect(try inspection.books.statuses[.read] == 100)
        #expect(inspection.commitNumber == store.snapshot.commitNumber)
        #expect(inspection.trees.first { $0.name == "title" }?.entryCount == 101)
        #expect(inspection.snapshotByteCount > 0 && inspection.logByteCount > 0)
        #expect(inspection.byteCount >= inspection.snapshotByteCount + inspection.logByteCount)
        #expect(!inspection.isWorthCompacting)
        try await store.close()
    }

    // MARK: Pieces

    private func snapshotName(_ fileSystem: any FileSystem) throws -> String? {
        try fileSystem.names(inDirectory: path).first { $0.hasPrefix("snapshot-") }
    }

    /// Leaves the orders as other rules could have made them: every key of them is one that today's rules do not make.
    private func misfile(_ store: BookStore) async throws {
        try await store.write { library in
            for order in WorkOrder.allCases {
                var entries: [(key: [UInt8], value: [UInt8])] = []
                try library.trees.scan(order.tree) { key, value in
                    entries.append((key.copyBytes(0..<key.byteCount), value.copyBytes(0..<value.byteCount)))
                    return true
                }
                for (key, value) in entries {
                    try library.remove(key, in: order.tree)
                    try library.put(value, forKey: Array("old ".utf8) + key, in: order.tree)
                }
            }
            try library.put(.bigEndian(0), forKey: LibraryMeta.Name.filingRules, in: LibraryTree.meta)
        }
    }

    private func lines(_ snapshot: Snapshot) throws -> [String] {
        var lines: [String] = []
        try snapshot.export { lines.append($0) }
        return lines
    }
}

/// A disk in memory that has no room for another file while it is full.
private final class FullDisk: FileSystem {
    private let base = MemoryFileSystem()
    private let full = Mutex(false)

    var isFull: Bool {
        get { full.withLock { $0 } }
        set { full.withLock { $0 = newValue } }
    }

    func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        if mode == .creating, isFull { throw .diskFull(path: path) }
        return try base.openFile(path, mode)
    }

    func kind(of path: String) throws(StorageError) -> PathKind { base.kind(of: path) }
    func createDirectory(_ path: String, sharing: Sharing) { base.createDirectory(path, sharing: sharing) }
    func names(inDirectory path: String) throws(StorageError) -> [String] { try base.names(inDirectory: path) }
    func flushDirectory(_ path: String) throws(StorageError) {}
    func rename(_ path: String, to target: String) throws(StorageError) { try base.rename(path, to: target) }
    func remove(_ path: String) throws(StorageError) { base.remove(path) }
    func lock(_ path: String) throws(StorageError) -> any FileLock { try base.lock(path) }
    func now() -> UInt64 { base.now() }
}

import LibrarySupport
import Observation
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// A library that opens while an app is running already.
@MainActor struct BackgroundOpeningTests {
    private typealias Transfer = LedgerTransfer
    private static let path = "A.bookdb"

    /// A library of so many transfers in its snapshot, closed.
    private static func disk(_ count: Int, in method: PaymentMethod = .cash) async throws -> GatedDisk {
        let disk = GatedDisk()
        let store = try RecordLibrary(at: path, fileSystem: disk, device: 1)
        try await store.write { library in
            let account = try library.insert(LedgerAccount(name: "Savings"))
            for number in 0..<count {
                try library.insert(
                    Transfer(account: account, amount: Money(number), note: "note \(number)", method: method))
            }
        }
        try await store.makeOrders(of: Transfer.self)
        try await store.compact()
        try await store.close()
        return disk
    }

    private static func opening(_ disk: any FileSystem) -> RecordLibrary {
        RecordLibrary(.file(path), LibrarySettings(fileSystem: disk), waitingFor: .zero)
    }

    private nonisolated static func amounts(_ snapshot: Snapshot) throws(LibraryError) -> [Money] {
        try snapshot.records(Transfer.self).all.page(limit: 1_000).map(\.amount)
    }

    // MARK: Nothing there yet

    @Test func `of a library whose disk does not answer nothing is read, and nothing is taken for empty`() async throws
    {
        let disk = try await Self.disk(3)
        disk.close("snapshot-")
        let store = Self.opening(disk)
        guard case .opening = store.health else { Issue.record("\(store.health)"); return }
        #expect(!store.snapshot.isLoaded)
        #expect(throws: LibraryError.opening(path: Self.path)) { try Self.amounts(store.snapshot) }
        #expect(throws: LibraryError.opening(path: Self.path)) { try store.snapshot.records(Transfer.self).count }
        #expect(throws: LibraryError.opening(path: Self.path)) { try store.snapshot.list(Transfer.self, "all").count }
        #expect(throws: LibraryError.opening(path: Self.path)) { try store.snapshot.kinds }
        let list = try LiveRecords(store, Transfer.self, "all")
        #expect(!list.isLoaded && list.error == .opening(path: Self.path))
        let one = LiveRecord(store, ID<LedgerAccount>(device: 1, counter: 1))
        #expect(one.error == .opening(path: Self.path))

        let read = Task { await store.read { (try? Self.amounts($0)) ?? [] } }
        async let written: Void = store.write { library in
            for account in try library.records(LedgerAccount.self).all.page(limit: 9) {
                try library.insert(Transfer(account: account.id, amount: 99))
            }
        }
        disk.open("snapshot-")
        #expect(await read.value.prefix(3) == [0, 1, 2])
        try await written
        try await store.ready()
        guard case .ready = store.health else { Issue.record("\(store.health)"); return }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.isLoaded && list.count == 4 && list.error == nil)
        #expect(one.value?.name == "Savings")
        try await store.close()
    }

    @Test func `who waits for a library and is cancelled stops waiting, and the library opens all the same`()
        async throws
    {
        let disk = try await Self.disk(3)
        disk.close("snapshot-")
        let store = Self.opening(disk)
        let ready = Task { try await store.ready() }
        let writing = Task { try await store.write { _ in } }
        let reading = Task { await store.read { $0.isLoaded } }
        for task in [ready, writing] as [any Cancellable] { task.cancel() }
        reading.cancel()
        await #expect(throws: LibraryError.cancelled) { try await ready.value }
        await #expect(throws: LibraryError.cancelled) { try await writing.value }
        #expect(await reading.value == false)
        disk.open("snapshot-")
        try await store.ready()
        #expect(try Self.amounts(store.snapshot).count == 3)
        try await store.close()
    }

    @Test func `a check of a library that is being opened waits for that, and finds it sound`() async throws {
        let disk = try await Self.disk(3)
        disk.close("snapshot-")
        let store = Self.opening(disk)
        let check = Task { try await store.verify().isSound }
        await Task.yield()
        disk.open("snapshot-")
        #expect(try await check.value)
        try await store.close()
    }

    @Test func `closing a library that is being opened waits for that, and closes it`() async throws {
        let disk = try await Self.disk(3)
        disk.close("snapshot-")
        let store = Self.opening(disk)
        async let closed: Void = store.close()
        disk.open("snapshot-")
        try await closed
        await #expect(throws: LibraryError.closed(path: Self.path)) { try await store.write { _ in } }
        await #expect(throws: LibraryError.closed(path: Self.path)) { try await store.compact() }
        // Its lock is gone, too.
        let again = try RecordLibrary(at: Self.path, fileSystem: disk)
        try await again.close()
    }

    // MARK: The snapshot while the log is replayed

    /// The library after some more commits that only its log has.
    private static func changed(_ disk: GatedDisk, _ seed: UInt64, commits: Int) async throws -> LedgerHistory {
        let store = try RecordLibrary(at: path, fileSystem: disk)
        let accounts = try store.snapshot.records(LedgerAccount.self).all.page(limit: 9).map(\.id)
        var history = LedgerHistory(accounts, SeededGenerator(seed: seed))
        for _ in 0..<commits { history = try await history.committed(5, to: store) }
        try await store.write { library in
            for transfer in try library.records(Transfer.self).all.page(limit: 4) {
                var changed = transfer
                changed.amount += 1_000
                try library.update(changed)
            }
            let last = try library.records(Transfer.self).all.page(limit: 1_000).last
            if let last { try library.delete(last.id) }
        }
        try await store.close()
        return history
    }

    @Test(arguments: 1...4)
    func `the snapshot is read while the log is replayed, and one commit brings the rest`(seed: UInt64) async throws {
        let disk = try await Self.disk(200)
        let before = try Self.amounts(try RecordLibrary(at: Self.path, access: .readOnly, fileSystem: disk).snapshot)
        _ = try await Self.changed(disk, seed, commits: 8)
        let final = try RecordLibrary(at: Self.path, access: .readOnly, fileSystem: disk).snapshot

        disk.close("log-")
        let store = Self.opening(disk)
        var commits = store.commits.makeAsyncIterator()
        await store.database.mapped()
        #expect(store.snapshot.isLoaded && store.snapshot.isCatchingUp)
        #expect(try Self.amounts(store.snapshot) == before)
        guard case .opening = store.health else { Issue.record("\(store.health)"); return }
        let list = try LiveRecords(store, Transfer.self, "all")
        #expect(list.isLoaded && list.count == 200)
        // Somewhere in the middle, so that rows come and go on both sides.
        list.window = 100..<120
        let shown = list.rows[100].id
        async let written = store.write { library in try library.records(Transfer.self).count }

        let preview = store.snapshot
        disk.open("log-")
        try await store.ready()
        let count = try await written
        #expect(try count == final.records(Transfer.self).count)
        #expect(store.snapshot.commitNumber == final.commitNumber && !store.snapshot.isCatchingUp)
        #expect(try Self.amounts(store.snapshot) == Self.amounts(final), "seed \(seed)")
        #expect(try Self.amounts(preview) == before, "who holds the snapshot still reads it")
        await list.shows(final.commitNumber)
        #expect(try list.rows.map(\.id) == final.list(Transfer.self, "all").page(limit: 1_000).map(\.id))
        if let row = list.index(of: shown) { #expect(list.window.lowerBound == row, "nothing jumps") }

        // The commit says what changed, as if all commits of the log had been one.
        var changes = Changes<Transfer>()
        while let commit = await commits.next() {
            changes = commit.records(Transfer.self)
            if commit.number == final.commitNumber { break }
        }
        let (old, new) = (Set(try ids(preview)), Set(try ids(final)))
        #expect(changes.inserted == new.subtracting(old) && changes.deleted == old.subtracting(new), "seed \(seed)")
        for id in old.intersection(new) where try preview.records(Transfer.self)[id] != final.records(Transfer.self)[id]
        {
            #expect(changes.updated.contains(id))
        }
        expectSound(store.snapshot)
        try await store.close()
    }

    private func ids(_ snapshot: Snapshot) throws -> [ID<LedgerTransfer>] {
        try snapshot.records(Transfer.self).all.page(limit: 1_000).map(\.id)
    }

    @Test func `lists that a long log has changed in many rows are made anew and do not jump`() async throws {
        let disk = try await Self.disk(1_500)
        let store = try RecordLibrary(at: Self.path, fileSystem: disk)
        try await store.write { library in
            for transfer in try library.records(Transfer.self).all.page(limit: 900) {
                var changed = transfer
                // Behind the others.
                changed.date = Day(daysSince1970: -5)
                try library.update(changed)
            }
        }
        try await store.close()
        disk.close("log-")
        let opening = Self.opening(disk)
        await opening.database.mapped()
        let list = try LiveRecords(opening, Transfer.self, "all")
        list.window = 1_000..<1_020
        let shown = list.rows[1_000].id
        disk.open("log-")
        try await opening.ready()
        await list.shows(opening.snapshot.commitNumber)
        #expect(list.change.isReload)
        #expect(list.window.lowerBound == 100)
        #expect(list.rows[list.window.lowerBound].id == shown)
        try await opening.close()
    }

    @Test func `a library that is all in its log is not shown empty before that is read`() async throws {
        let disk = GatedDisk()
        let store = try RecordLibrary(at: Self.path, fileSystem: disk, device: 1)
        try await store.write { library in _ = try library.insert(LedgerAccount(name: "Savings")) }
        try await store.close()
        disk.close("log-")
        let opening = Self.opening(disk)
        let list = try LiveRecords(opening, LedgerAccount.self)
        #expect(!list.isLoaded)
        // The first look at the log asks whether the store was ever finished. At the second the snapshot is mapped.
        await disk.visitors(1)
        disk.letOneIn()
        await disk.visitors(2)
        #expect(!opening.snapshot.isLoaded && !list.isLoaded)
        disk.open("log-")
        try await opening.ready()
        await list.shows(opening.snapshot.commitNumber)
        #expect(list.isLoaded && list.rows.compactMap(\.record).map(\.name) == ["Savings"])
        try await opening.close()
    }

    @Test func `a library that begins is ready, and empty`() async throws {
        let store = RecordLibrary(.file(Self.path), LibrarySettings(fileSystem: MemoryFileSystem()), waitingFor: .zero)
        try await store.ready()
        #expect(try store.snapshot.isLoaded && store.snapshot.kinds.isEmpty)
        guard case .ready = store.health else { Issue.record("\(store.health)"); return }
        try await store.close()
    }

    // MARK: What cannot be opened

    @Test func `a library that another has open for writing is read, and is written after a retry`() async throws {
        let disk = try await Self.disk(3)
        let other = try RecordLibrary(at: Self.path, fileSystem: disk)
        let store = Self.opening(disk)
        try await store.ready()
        guard case .readOnly(.inUse) = store.health else { Issue.record("\(store.health)"); return }
        #expect(try Self.amounts(store.snapshot) == [0, 1, 2])
        await #expect(throws: LibraryError.inUse(path: Self.path, processIdentifier: 0)) {
            try await store.write { _ in }
        }
        try await other.write { library in
            for transfer in try library.records(Transfer.self).all.page(limit: 9) { try library.delete(transfer.id) }
        }
        let list = try LiveRecords(store, Transfer.self)
        #expect(list.count == 3)
        try await other.close()
        store.retry()
        try await store.ready()
        guard case .ready = store.health else { Issue.record("\(store.health)"); return }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.isLoaded && list.count == 0)
        try await store.write { library in _ = try library.insert(LedgerAccount(name: "Other")) }
        try await store.close()
    }

    @Test func `a retry of a library that is open, or closed, does nothing`() async throws {
        let disk = try await Self.disk(3)
        let store = Self.opening(disk)
        try await store.ready()
        store.retry()
        guard case .ready = store.health else { Issue.record("\(store.health)"); return }
        try await store.close()
        store.retry()
        await #expect(throws: LibraryError.closed(path: Self.path)) { try await store.write { _ in } }
    }

    @Test func `a library with a rotten log is read up to the damage, and says so`() async throws {
        let disk = try await Self.disk(3)
        let writer = try RecordLibrary(at: Self.path, fileSystem: disk)
        for number in 0..<40 {
            try await writer.write { library in _ = try library.insert(LedgerAccount(name: "Account \(number)")) }
        }
        try await writer.close()
        let log = try #require(disk.names(inDirectory: Self.path).first { $0.hasPrefix("log-") })
        let file = try disk.openFile(Self.path + "/" + log, .writing)
        var rot = [UInt8](repeating: 0xAA, count: 8)
        try unsafe rot.withUnsafeMutableBytes { try unsafe file.write(UnsafeRawBufferPointer($0), at: 8_000) }
        let store = Self.opening(disk)
        try await store.ready()
        guard case .damaged(let report) = store.health else { Issue.record("\(store.health)"); return }
        #expect(report.lacksCommits && report.damage.file.contains("log-"))
        #expect(try Self.amounts(store.snapshot) == [0, 1, 2])
        let count = try store.snapshot.records(LedgerAccount.self).count
        #expect(count > 1 && count < 41)
        await #expect(throws: LibraryError.self) { try await store.write { _ in } }
        try await store.close()
    }

    @Test func `a library that cannot be read throws why, and can be had when that has passed`() async throws {
        let disk = try await Self.disk(3)
        let snapshot = try #require(disk.names(inDirectory: Self.path).first { $0.hasPrefix("snapshot-") })
        try disk.rename(Self.path + "/" + snapshot, to: "elsewhere")
        let store = Self.opening(disk)
        await #expect(throws: LibraryError.self) { try await store.ready() }
        guard case .unavailable(let error) = store.health else { Issue.record("\(store.health)"); return }
        #expect(throws: error) { try Self.amounts(store.snapshot) }
        let list = try LiveRecords(store, Transfer.self)
        #expect(!list.isLoaded && list.error == error)
        await #expect(throws: error) { try await store.write { _ in } }
        await #expect(throws: LibraryError.self) { try await store.verify() }
        try disk.rename("elsewhere", to: Self.path + "/" + snapshot)
        store.retry()
        try await store.ready()
        guard case .ready = store.health else { Issue.record("\(store.health)"); return }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.isLoaded && list.count == 3)
        try await store.close()
    }

    @Test func `health is observable`() async throws {
        let disk = try await Self.disk(3)
        disk.close("snapshot-")
        let store = Self.opening(disk)
        let seen = Task { @MainActor in
            for await health in Observations({ store.health.name }) where health == "ready" { return true }
            return false
        }
        await Task.yield()
        disk.open("snapshot-")
        #expect(await seen.value)
        try await store.close()
    }

    @Test func `an opening for tools throws when the library cannot be written`() async throws {
        await #expect(throws: LibraryError.self) { try await RecordLibrary.open(at: "/nowhere/at/all/A.bookdb") }
    }
}

private protocol Cancellable { func cancel() }
extension Task: Cancellable {}

import LibrarySupport
import StorageEngine
import Testing

@testable import RecordStore

/// An app whose library is restored while it shows it.
@MainActor struct LiveRestoreTests {
    private let disk = GatedDisk()

    private func open(_ access: RecordLibrary.Access = .exclusive) throws -> RecordLibrary {
        var settings = LibrarySettings.patient(access, disk)
        settings.device = 1
        return RecordLibrary(try RecordLibrary.open("A.bookdb", settings))
    }

    /// A library with one account and three transfers, its backup, and then many more.
    private func prepared(_ access: RecordLibrary.Access = .exclusive) async throws -> (
        RecordLibrary, ID<LedgerAccount>
    ) {
        let store = try open(access)
        let account = try await store.write { library in
            let account = try library.insert(LedgerAccount(name: "Savings"))
            for amount in 1...3 { try library.insert(LedgerTransfer(account: account, amount: Money(amount))) }
            return account
        }
        _ = try await Database.backup(at: "A.bookdb", to: "B", fileSystem: disk)
        for round in 0..<20 {
            try await store.write { library in
                _ = try library.insert(LedgerTransfer(account: account, amount: Money(100 + round)))
            }
        }
        return (store, account)
    }

    @Test func `lists, observers and commits come to the restored library together`() async throws {
        let (store, account) = try await prepared()
        let list = try LiveRecords(store, LedgerTransfer.self, "statement", of: account)
        let other = try LiveRecords(store, LedgerAccount.self)
        let record = LiveRecord(store, account)
        let former = store.snapshot
        let commits = store.commits
        try await store.write { library in
            _ = try library.insert(LedgerAccount(name: "Current"))
            _ = try library.delete(account)
        }
        await list.shows(store.snapshot.commitNumber)
        #expect(other.count == 1 && record.value == nil)
        let restored = try await store.restore(from: "B")
        // The number of the commit is lower than what the lists show.
        #expect(restored.commitNumber < former.commitNumber)
        await list.shows(store.snapshot.commitNumber)
        #expect(list.snapshot.commitNumber == restored.commitNumber && list.count == 3 && other.count == 1)
        #expect(record.value?.name == "Savings" && list.change == .reload)
        #expect(try former.records(LedgerTransfer.self).count == 23)
        expectSound(store.snapshot)
        let id = try await store.write { try $0.insert(LedgerTransfer(account: account, amount: 7)) }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.count == 4 && list.index(of: id) != nil)
        var iterator = commits.makeAsyncIterator()
        let (first, second, third) = (await iterator.next(), await iterator.next(), await iterator.next())
        #expect(first?.isWhole == false)
        #expect(second?.isWhole == true && second?.number == restored.commitNumber)
        #expect(third?.isWhole == false && third?.number == restored.commitNumber + 1)
        #expect(third?.records(LedgerTransfer.self).inserted == [id])
        try await store.close()
        #expect(try RecordLibrary.verify(at: "A.bookdb", fileSystem: disk).isSound)
    }

    @Test func `damage that was found, and commits that can be undone, are those of the library before`() async throws {
        var settings = LibrarySettings(fileSystem: disk)
        settings.undo = .on
        let store = RecordLibrary(try RecordLibrary.open("A.bookdb", settings))
        try await store.write { _ = try $0.insert(LedgerAccount(name: "Savings")) }
        _ = try await Database.backup(at: "A.bookdb", to: "B", fileSystem: disk)
        _ = store.healthBoard.note(Damage(file: "A.bookdb", byteOffset: 0, finding: "a record is no record"))
        #expect(store.health.name == "damaged" && store.undoable.count == 1)
        try await store.restore(from: "B")
        #expect(store.health.name == "ready" && store.undoable.isEmpty)
        #expect(try await store.undo() == nil)
        try await store.write { _ = try $0.insert(LedgerAccount(name: "Current")) }
        #expect(try await store.undo() != nil)
        #expect(try store.snapshot.records(LedgerAccount.self).count == 1)
        try await store.close()
    }

    @Test func `who waits for a commit that a restore replaces does not wait for ever`() async throws {
        let (store, account) = try await prepared()
        let list = try LiveRecords(store, LedgerTransfer.self, "statement", of: account)
        let waiting = Task { await list.shows(1_000) }
        await Task.yield()
        try await store.restore(from: "B")
        await waiting.value
        #expect(list.count == 3)
        try await store.close()
    }

    @Test func `what was found out of the old library is not held true of the restored one`() async throws {
        let store = try open()
        try await store.write { library in _ = try library.insert(OldNote(amount: 5)) }
        _ = try await Database.backup(at: "A.bookdb", to: "B", fileSystem: disk)
        try await store.close()
        for name in try disk.names(inDirectory: "A.bookdb") { try disk.remove("A.bookdb/" + name) }
        // Another library in its place, in which the name is another type's.
        let other = try open()
        try await other.write { library in _ = try library.insert(NewNote(count: 7)) }
        #expect(try other.snapshot.records(NewNote.self).count == 1)
        let former = other.snapshot
        try await other.restore(from: "B")
        #expect(throws: LibraryError.self) { try other.snapshot.records(NewNote.self).all.page(limit: 9) }
        // Nor by who reads the old one again.
        #expect(try former.records(NewNote.self).all.page(limit: 9).count == 1)
        #expect(throws: LibraryError.self) { try other.snapshot.records(NewNote.self).all.page(limit: 9) }
        #expect(try other.snapshot.records(OldNote.self).all.page(limit: 9).map(\.amount) == [5])
        try await other.close()
    }

    @Test func `unique keys, orders and the cache are those of the restored library`() async throws {
        let (store, account) = try await prepared()
        #expect(store.cache.set("cover", [1, 2, 3], for: .days(1)))
        try await store.write { library in _ = try library.insert(LedgerAccount(name: "Current")) }
        try await store.restore(from: "B")
        // What was fetched for the old library is not given to the restored one, whose identifiers it may not mean.
        #expect(store.cache.value(for: "cover") == nil)
        try await store.write { library in _ = try library.insert(LedgerAccount(name: "Current")) }
        await #expect(throws: LibraryError.self) {
            try await store.write { library in _ = try library.insert(LedgerAccount(name: "Savings")) }
        }
        let statement = try store.snapshot.list(LedgerTransfer.self, "statement", of: account)
        #expect(statement.count == 3)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `health, the opening and the launch say what is so`() async throws {
        let (store, _) = try await prepared()
        let launched = store.launch.times.generation
        let restored = try await store.restore(from: "B")
        guard case .ready = store.health else { throw LibraryError.invalidArgument("\(store.health)") }
        #expect(store.opening.restored == restored && store.lastRestore == restored)
        #expect(store.opening.generation > launched && store.launch.times.generation == launched)
        #expect(store.restoreFailure == nil)
        try await store.close()
    }

    @Test func `a widget moves to the library that the app restores`() async throws {
        let (app, account) = try await prepared(.shared)
        let widget = try open(.shared)
        let list = try LiveRecords(widget, LedgerTransfer.self, "statement", of: account)
        #expect(list.count == 23)
        let (ofApp, ofWidget) = (app.commits, widget.commits)
        try await app.restore(from: "B")
        await widget.database.follow()
        await list.shows(widget.snapshot.commitNumber)
        var (made, followed) = (ofApp.makeAsyncIterator(), ofWidget.makeAsyncIterator())
        #expect(await made.next()?.origin == .opening)
        #expect(await followed.next()?.origin == .elsewhere)
        #expect(list.count == 3 && widget.lastRestore == app.lastRestore)
        try await widget.write { library in _ = try library.insert(LedgerTransfer(account: account, amount: 9)) }
        await app.database.follow()
        let (shown, written) = (app.snapshot, widget.snapshot)
        let counts = (
            try shown.records(LedgerTransfer.self).count, try written.records(LedgerTransfer.self).count
        )
        #expect(counts == (4, 4), "\(counts) in commits \(shown.commitNumber) and \(written.commitNumber)")
        try await widget.close()
        try await app.close()
        #expect(try RecordLibrary.verify(at: "A.bookdb", fileSystem: disk).isSound)
    }

    @Test func `a damaged library that can only be read is restored where it is`() async throws {
        let (store, account) = try await prepared()
        try await store.close()
        let log = try #require(try disk.names(inDirectory: "A.bookdb").first { $0.hasPrefix("log-") })
        let file = try disk.openFile("A.bookdb/" + log, .writing)
        try file.write([0xFF, 0xFF, 0xFF, 0xFF], at: 200)
        file.close()
        var settings = LibrarySettings(fileSystem: disk)
        settings.device = 1
        let damaged = RecordLibrary(.file("A.bookdb"), settings, waitingFor: .zero)
        try await damaged.ready()
        guard case .damaged = damaged.health else { throw LibraryError.invalidArgument("\(damaged.health)") }
        let list = try LiveRecords(damaged, LedgerTransfer.self, "statement", of: account)
        await #expect(throws: LibraryError.self) { try await damaged.restore(from: "B", saving: "B") }
        let restored = try await damaged.restore(from: "B")
        #expect(damaged.lastRestore == restored)
        guard case .ready = damaged.health else { throw LibraryError.invalidArgument("\(damaged.health)") }
        await list.shows(damaged.snapshot.commitNumber)
        #expect(list.count == 3)
        try await damaged.write { library in _ = try library.insert(LedgerTransfer(account: account, amount: 9)) }
        try await damaged.close()
        #expect(try RecordLibrary.verify(at: "A.bookdb", fileSystem: disk).isSound)
    }

    /// Once the damage is mended, no later opening puts the backup in its place.
    @Test func `a restore of a damaged library that somebody else has is refused, and not staged`() async throws {
        let (store, account) = try await prepared()
        try await store.write { library in _ = try library.insert(LedgerTransfer(account: account, amount: 9)) }
        try await store.close()
        let log = try #require(try disk.names(inDirectory: "A.bookdb").first { $0.hasPrefix("log-") })
        let file = try disk.openFile("A.bookdb/" + log, .writing)
        let bytes = try file.read(byteCount: 4, at: 200)
        try file.write([0xFF, 0xFF, 0xFF, 0xFF], at: 200)
        let damaged = RecordLibrary(.file("A.bookdb"), LibrarySettings(fileSystem: disk), waitingFor: .zero)
        try await damaged.ready()
        guard case .damaged = damaged.health else { throw LibraryError.invalidArgument("\(damaged.health)") }
        let lock = try disk.lock("A.bookdb/lock")
        let error = await libraryError { try await damaged.restore(from: "B") }
        guard case .inUse? = error else { Issue.record("\(String(describing: error))"); return }
        lock.unlock()
        #expect(try !disk.names(inDirectory: "A.bookdb").contains { $0 == "restore" || $0.hasPrefix("staged-") })
        try await damaged.close()
        try file.write(bytes, at: 200)
        file.close()
        let mended = try RecordLibrary(at: "A.bookdb", fileSystem: disk)
        #expect(mended.lastRestore == nil)
        try await mended.close()
    }
}

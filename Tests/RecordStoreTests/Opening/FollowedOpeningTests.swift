import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// What those see who follow a library while it opens, or opens again.
@MainActor struct FollowedOpeningTests {
    @Test func `lists leave the preview behind when the log holds nothing`() async throws {
        let disk = GatedDisk()
        let made = try RecordLibrary(at: "A.bookdb", fileSystem: disk, device: 1)
        try await made.write { library in _ = try library.insert(LedgerAccount(name: "Savings")) }
        try await made.compact()
        try await made.close()
        disk.close("log-")
        let store = RecordLibrary(.file("A.bookdb"), LibrarySettings(fileSystem: disk), waitingFor: .zero)
        await store.database.mapped()
        let list = try LiveRecords(store, LedgerAccount.self)
        #expect(list.snapshot.isCatchingUp)
        disk.open("log-")
        try await store.ready()
        await list.shows(store.snapshot.commitNumber)
        await pause { !list.snapshot.isCatchingUp }
        #expect(!list.snapshot.isCatchingUp)
        try await store.close()
    }

    @Test func `a type that was met in the preview is compared with what the log brings`() async throws {
        let disk = GatedDisk()
        let made = try RecordLibrary(at: "A.bookdb", fileSystem: disk, device: 1)
        try await made.write { library in _ = try library.insert(LedgerAccount(name: "Savings")) }
        try await made.compact()
        try await made.close()
        let older = try RecordLibrary(at: "A.bookdb", fileSystem: disk)
        try await older.write { library in _ = try library.insert(OldNote(amount: 5)) }
        try await older.close()
        // Without a preview it is refused.
        let plain = try RecordLibrary(at: "A.bookdb", access: .readOnly, fileSystem: disk)
        #expect(throws: LibraryError.self) { try plain.snapshot.records(NewNote.self).all.page(limit: 9) }
        disk.close("log-")
        let store = RecordLibrary(.file("A.bookdb"), LibrarySettings(fileSystem: disk), waitingFor: .zero)
        await store.database.mapped()
        #expect(try store.snapshot.records(NewNote.self).count == 0)
        disk.open("log-")
        try await store.ready()
        #expect(throws: LibraryError.self) { try store.snapshot.records(NewNote.self).all.page(limit: 9) }
        try await store.close()
    }

    /// What a hub gets that subscribed before the preview was published and took its snapshot after the end of the opening.
    @Test func `a preview that comes late does not take lists back`() async throws {
        let disk = GatedDisk()
        let made = try RecordLibrary(at: "A.bookdb", fileSystem: disk, device: 1)
        try await made.write { library in _ = try library.insert(LedgerAccount(name: "One")) }
        try await made.compact()
        try await made.write { library in _ = try library.insert(LedgerAccount(name: "Two")) }
        try await made.close()
        disk.close("log-")
        let store = RecordLibrary(.file("A.bookdb"), LibrarySettings(fileSystem: disk), waitingFor: .zero)
        await store.database.mapped()
        let preview = store.snapshot
        disk.open("log-")
        try await store.ready()
        let list = try LiveRecords(store, LedgerAccount.self)
        #expect(list.count == 2)
        var whole = LibraryChanges()
        (whole.isWhole, whole.isRelisted) = (true, true)
        var note = LibraryChanges()
        note.records["LedgerAccount", default: Changes()].insert(ID(device: 1, counter: 2))
        store.broadcast.send(Commit(number: preview.commitNumber, snapshot: preview, changes: whole))
        store.broadcast.send(Commit(number: store.snapshot.commitNumber, snapshot: store.snapshot, changes: note))
        try await store.write { library in _ = try library.insert(LedgerAccount(name: "Three")) }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.count == 3 && !list.snapshot.isCatchingUp)
        try await store.close()
    }

    @Test func `a commit of a retry says that others may have changed anything`() async throws {
        let disk = MemoryFileSystem()
        let other = try RecordLibrary(at: "A.bookdb", fileSystem: disk, device: 1)
        try await other.write { library in _ = try library.insert(LedgerAccount(name: "One")) }
        let store = RecordLibrary(.file("A.bookdb"), LibrarySettings(fileSystem: disk), waitingFor: .zero)
        try await store.ready()
        #expect(try store.snapshot.records(LedgerAccount.self).count == 1)
        var commits = store.commits.makeAsyncIterator()
        let id = try await other.write { library in try library.insert(LedgerAccount(name: "Two")) }
        try await other.close()
        store.retry()
        try await store.ready()
        let commit = try #require(await commits.next())
        #expect(commit.isWhole)
        #expect(try commit.snapshot.records(LedgerAccount.self)[id]?.name == "Two")
        try await store.close()
    }

    @Test func `records that others deleted leave the selection`() async throws {
        let disk = MemoryFileSystem()
        let other = try RecordLibrary(at: "A.bookdb", fileSystem: disk, device: 1)
        let id = try await other.write { library in try library.insert(LedgerAccount(name: "One")) }
        let store = RecordLibrary(.file("A.bookdb"), LibrarySettings(fileSystem: disk), waitingFor: .zero)
        try await store.ready()
        let list = try LiveRecords(store, LedgerAccount.self)
        list.selection = [id]
        try await other.write { library in _ = try library.delete(id) }
        try await other.close()
        store.retry()
        try await store.ready()
        await list.shows(store.snapshot.commitNumber)
        #expect(list.count == 0 && list.selection.isEmpty)
        try await store.close()
    }

    /// They left it with the snapshot, which did not have them yet.
    @Test func `records that are selected while a library opens stay selected when the log alone has them`()
        async throws
    {
        let disk = GatedDisk()
        let made = try RecordLibrary(at: "A.bookdb", fileSystem: disk, device: 1)
        try await made.write { library in _ = try library.insert(LedgerAccount(name: "One")) }
        try await made.compact()
        let id = try await made.write { library in try library.insert(LedgerAccount(name: "Two")) }
        try await made.close()
        for gate in ["snapshot-", "log-"] { disk.close(gate) }
        let store = RecordLibrary(.file("A.bookdb"), LibrarySettings(fileSystem: disk), waitingFor: .zero)
        let list = try LiveRecords(store, LedgerAccount.self)
        let gone = ID<LedgerAccount>(device: 1, counter: 99)
        list.selection = [id, gone]
        disk.open("snapshot-")
        await store.database.mapped()
        await list.shows(store.snapshot.commitNumber)
        #expect(list.snapshot.isCatchingUp && list.selection == [id, gone])
        disk.open("log-")
        try await store.ready()
        await list.shows(store.snapshot.commitNumber)
        #expect(list.count == 2 && list.selection == [id])
        try await store.close()
    }

    @Test func `of a library that is not there nothing is answered`() async throws {
        let snapshot = RecordLibrary.absent(because: .unavailable("It is not there.")).snapshot
        let reads: [@Sendable (Snapshot) throws -> Void] = [
            { _ = try $0.records(LedgerTransfer.self).count },
            { _ = try $0.records(LedgerTransfer.self).all.page(limit: 3) },
            { _ = try $0.records(LedgerTransfer.self)[ID(device: 1, counter: 1)] },
            { _ = try $0.list(LedgerTransfer.self, "all").count }, { _ = try $0.kinds },
            { _ = try $0.kind(named: "X") },
            { _ = try $0.record(identified: "000001-1") }, { _ = try $0.identifiers(beginningWith: "a") },
            { try $0.export { _ in } }, { _ = try $0.version.facetCounts(in: LibraryTree.meta) },
            { _ = try $0.version.entry(at: 0, in: LibraryTree.firstKind) },
            { try $0.version.scan(LibraryTree.firstKind) { _, _ in true } },
        ]
        for (number, read) in reads.enumerated() {
            #expect(throws: LibraryError.self, "\(number)") { try translatingErrors { try read(snapshot) } }
        }
    }
}

import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// An app, its widget and a command with one library.
@MainActor struct SharedLibraryTests {
    private let disk = GatedDisk()

    private func open(_ access: RecordLibrary.Access = .shared) throws -> RecordLibrary {
        var settings = LibrarySettings.patient(access, disk)
        settings.device = 1
        return RecordLibrary(try RecordLibrary.open("A.bookdb", settings))
    }

    /// A library that begins here with a record in it.
    private func begun() async throws -> RecordLibrary {
        let store = try open()
        try await store.write { library in _ = try library.insert(LedgerAccount(name: "Savings")) }
        return store
    }

    @Test func `records of two who write in turns have identifiers of their own`() async throws {
        let (app, widget) = (try await begun(), try open())
        var identifiers: Set<ID<LedgerAccount>> = []
        for round in 0..<10 {
            for store in [app, widget] {
                let name = "\(store === app) \(round)"
                identifiers.insert(try await store.write { try $0.insert(LedgerAccount(name: name)) })
            }
        }
        #expect(identifiers.count == 20)
        #expect(try widget.snapshot.records(LedgerAccount.self).count == 21)
        try await app.close()
        try await widget.close()
        #expect(try RecordLibrary.verify(at: "A.bookdb", fileSystem: disk).isSound)
    }

    @Test func `a unique key binds all`() async throws {
        let (app, widget) = (try await begun(), try open())
        try await app.write { library in _ = try library.insert(LedgerAccount(name: "Current")) }
        await #expect(throws: LibraryError.self) {
            try await widget.write { library in _ = try library.insert(LedgerAccount(name: "Current")) }
        }
        #expect(try widget.snapshot.records(LedgerAccount.self).count == 2)
        try await app.close()
        try await widget.close()
    }

    @Test(arguments: [RecordLibrary.Access.shared, .readOnly])
    func `commits and lists tell what another has written`(access: RecordLibrary.Access) async throws {
        let app = try await begun()
        let widget = try open(access)
        let list = try LiveRecords(widget, LedgerAccount.self)
        var commits = widget.commits.makeAsyncIterator()
        let added = try await app.write { try $0.insert(LedgerAccount(name: "Current")) }
        await widget.database.follow()
        #expect(try #require(await commits.next()).records(LedgerAccount.self).inserted == [added])
        try await app.write { try $0.update(LedgerAccount(id: added, name: "Checking")) }
        await widget.database.follow()
        #expect(try #require(await commits.next()).records(LedgerAccount.self).updated == [added])
        await list.shows(widget.snapshot.commitNumber)
        #expect(list.count == 2)
        try await app.close()
        try await widget.close()
    }

    /// They kept the old file's room until somebody committed.
    @Test(arguments: [RecordLibrary.Access.shared, .readOnly])
    func `lists go along when another moves the library to another file`(access: RecordLibrary.Access) async throws {
        let app = try await begun()
        let widget = try open(access)
        let list = try LiveRecords(widget, LedgerAccount.self)
        let (before, number) = (widget.snapshot.version, list.changeNumber)
        try await app.compact()
        await widget.database.follow()
        await pause { list.rows.version !== before }
        #expect(list.rows.version !== before && list.rows.version === widget.snapshot.version)
        #expect(list.count == 1 && list.changeNumber == number)
        try await app.close()
        try await widget.close()
    }

    @Test func `a type that fitted is compared again when another has declared otherwise`() async throws {
        let (app, widget) = (try await begun(), try open())
        #expect(try widget.snapshot.records(NewNote.self).count == 0)
        try await app.write { library in _ = try library.insert(OldNote(amount: 5)) }
        await #expect(throws: LibraryError.self) {
            try await widget.write { library in _ = try library.insert(NewNote(count: 5)) }
        }
        #expect(throws: LibraryError.self) { try widget.snapshot.records(NewNote.self).all.page(limit: 9) }
        try await app.close()
        try await widget.close()
    }

    @Test func `orders that one makes in the background are there for the other`() async throws {
        let app = try await begun()
        let account = try await app.write { library in
            try library.insert(LedgerAccount(name: "Current"))
        }
        for batch in 0..<3 {
            try await app.write { library in
                for number in 0..<700 {
                    _ = try library.insert(
                        LedgerTransfer(
                            account: account, date: Day(daysSince1970: Int32(batch * 700 + number)),
                            amount: 1))
                }
            }
        }
        let widget = try open()
        try await widget.write { library in
            _ = try library.insert(LedgerTransfer(account: account, amount: 7))
        }
        await app.database.follow()
        #expect(try app.snapshot.records(LedgerTransfer.self).count == 2101)
        try await app.close()
        try await widget.close()
        #expect(try RecordLibrary.verify(at: "A.bookdb", fileSystem: disk).isSound)
    }

    @Test func `what one loads the other has`() async throws {
        let (app, widget) = (try await begun(), try open())
        var commits = widget.commits.makeAsyncIterator()
        try await app.load(LedgerAccount.self) { library in
            for number in 0..<2000 { _ = try library.insert(LedgerAccount(name: "Account \(number)")) }
        }
        await widget.database.follow()
        try await widget.write { library in _ = try library.insert(LedgerAccount(name: "One more")) }
        #expect(try widget.snapshot.records(LedgerAccount.self).count == 2002)
        let commit = try #require(await commits.next())
        #expect(commit.number == 2)
        try await app.close()
        try await widget.close()
        #expect(try RecordLibrary.verify(at: "A.bookdb", fileSystem: disk).isSound)
    }

    @Test func `a type that fitted an old snapshot is compared with the newest`() async throws {
        let (app, widget) = (try await begun(), try open())
        let old = widget.snapshot
        try await app.write { library in _ = try library.insert(OldNote(amount: 5)) }
        await widget.database.follow()
        #expect(try old.records(NewNote.self).count == 0)
        await #expect(throws: LibraryError.self) {
            try await widget.write { library in _ = try library.insert(NewNote(count: 5)) }
        }
        #expect(throws: LibraryError.self) { try widget.snapshot.records(NewNote.self).all.page(limit: 9) }
        try await app.close()
        try await widget.close()
    }

    @Test func `one at rest shows what another has loaded without writing itself`() async throws {
        let (app, widget) = (try await begun(), try open())
        try await app.load(LedgerAccount.self) { library in
            for number in 0..<2000 { _ = try library.insert(LedgerAccount(name: "Account \(number)")) }
        }
        await widget.database.follow()
        #expect(try widget.snapshot.records(LedgerAccount.self).count == 2001)
        try await app.close()
        try await widget.close()
    }
}

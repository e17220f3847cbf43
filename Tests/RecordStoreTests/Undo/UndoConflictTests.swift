import LibrarySupport
import StorageEngine
import Testing

@testable import RecordStore

/// Commits that are undone where others have changed the same records since: another opening of the library, in a shared one.
struct UndoConflictTests {
    private let disk = MemoryFileSystem()

    private func open(undo: UndoKeeping = .on) throws -> RecordLibrary {
        var settings = LibrarySettings.patient(.shared, disk)
        (settings.undo, settings.device) = (undo, 1)
        return RecordLibrary(try RecordLibrary.open("A.bookdb", settings))
    }

    private func close(_ stores: RecordLibrary...) async throws {
        for store in stores { try await store.close() }
        #expect(try RecordLibrary.verify(at: "A.bookdb", fileSystem: disk).isSound)
    }

    @Test func `the same field is refused by name, and another one stays as it was changed`() async throws {
        let (app, other) = (try open(), try open(undo: .off))
        let account = try await app.insert(UndoAccount(name: "Savings", note: "old"))
        try await app.update(account) { $0.note = "mine" }
        try await other.update(account) { $0.note = "theirs" }
        let refused = try await conflicts(of: app) { try await app.undo() }
        #expect(refused.map(\.fields) == [["note"]] && refused.map(\.identifier) == [account.rawValue])
        #expect(refused[0].description == "UndoAccount \(account) has another “note” since")
        #expect(app.undoable.count == 2)
        try await other.update(account) { ($0.note, $0.balance) = ("mine", 9) }
        try await app.undo()
        #expect(try app.snapshot.records(UndoAccount.self)[account]?.note == "old")
        #expect(try app.snapshot.records(UndoAccount.self)[account]?.balance == 9)
        try await app.redo()
        #expect(try app.snapshot.records(UndoAccount.self)[account]?.note == "mine")
        #expect(try app.snapshot.records(UndoAccount.self)[account]?.balance == 9)
        try await close(app, other)
    }

    @Test func `others' commits are never undone`() async throws {
        let (app, other) = (try open(), try open())
        let mine = try await app.insert(UndoTag(name: "mine"))
        let theirs = try await other.insert(UndoTag(name: "theirs"))
        try await app.undo()
        #expect(try app.snapshot.records(UndoTag.self)[mine] == nil)
        #expect(try app.snapshot.records(UndoTag.self)[theirs] != nil)
        #expect(try await app.undo() == nil)
        try await other.undo()
        #expect(try other.snapshot.records(UndoTag.self).count == 0)
        try await close(app, other)
    }

    @Test func `what others have deleted, changed or put there again is refused`() async throws {
        let (app, other) = (try open(), try open(undo: .off))
        let (first, second, third) = try await app.write { library in
            (
                try library.insert(UndoTag(name: "a")), try library.insert(UndoTag(name: "b")),
                try library.insert(UndoTag(name: "c"))
            )
        }
        try await app.update(first) { $0.name = "aa" }
        try await other.delete(first)
        #expect(try await conflicts(of: app) { try await app.undo() }.map(\.reason) == ["was deleted since"])
        app.forgetUndoable()
        let new = try await app.insert(UndoTag(name: "new"))
        try await other.update(new) { $0.name = "newer" }
        #expect(try await conflicts(of: app) { try await app.undo() }.map(\.reason) == ["was changed since"])
        app.forgetUndoable()
        try await app.delete(second)
        let bytes = try RecordKind<UndoTag>.current.encode(UndoTag(name: "again"))
        try await other.write { library in
            // As a restored line of an export does.
            try library.put(bytes, forKey: second.rawValue, in: RecordKind<UndoTag>.current.tree)
        }
        #expect(
            try await conflicts(of: app) { try await app.undo() }.map(\.reason) == ["is there again, and is another"])
        app.forgetUndoable()
        // What is as it would be is nothing to do.
        try await app.delete(third)
        try await other.write { library in
            try library.put(
                RecordKind<UndoTag>.current.encode(UndoTag(name: "c")), forKey: third.rawValue,
                in: RecordKind<UndoTag>.current.tree)
        }
        let commitNumber = app.snapshot.commitNumber
        #expect(try await app.undo() != nil)
        #expect(app.snapshot.commitNumber <= commitNumber + 1 && app.undoable.isEmpty && app.redoable.isEmpty)
        try await close(app, other)
    }

    @Test func `links and unique keys that would not hold are refused, and name both records`() async throws {
        let (app, other) = (try open(), try open(undo: .off))
        let account = try await app.insert(UndoAccount(name: "Savings"))
        let transfer = try await other.insert(UndoTransfer(account: account, amount: 1))
        let linked = try await conflicts(of: app) { try await app.undo() }
        #expect(linked.map(\.kind) == ["UndoTransfer"] && linked.map(\.identifier) == [transfer.rawValue])
        #expect(linked[0].reason == "links by its account to UndoAccount \(account), which would go")
        // The same the other way round: what a record names is gone.
        app.forgetUndoable()
        try await app.delete(transfer)
        try await other.delete(account)
        let missing = try await conflicts(of: app) { try await app.undo() }
        #expect(missing.map(\.identifier) == [transfer.rawValue])
        #expect(
            missing[0].reason
                == "would link to UndoAccount \(account) by its account, which is not there any more")
        app.forgetUndoable()
        let named = try await app.insert(UndoAccount(name: "Unique"))
        try await app.update(named) { $0.name = "Changed" }
        let holder = try await other.insert(UndoAccount(name: "Unique"))
        let taken = try await conflicts(of: app) { try await app.undo() }
        #expect(taken.map(\.identifier) == [named.rawValue])
        #expect(taken[0].reason == "would have the name of UndoAccount \(holder)")
        try await other.delete(holder)
        try await app.undo()
        #expect(try app.snapshot.records(UndoAccount.self)[named]?.name == "Unique")
        try await close(app, other)
    }

    @Test func `a record that another version of its type has written since is refused`() async throws {
        let (app, other) = (try open(), try open(undo: .off))
        let id = try await app.insert(FirstVersion(amount: 1))
        try await app.update(id) { $0.amount = 2 }
        try await other.update(ID<SecondVersion>(rawValue: id.rawValue)) { $0.note = "new" }
        let refused = try await conflicts(of: app) { try await app.undo() }
        #expect(refused.first?.fields.contains("version") == true, "\(refused)")
        try await close(app, other)
    }

    @Test func `fields that only another version knows come back and stay`() async throws {
        let (app, other) = (try open(), try open(undo: .off))
        let id = try await other.write { library in
            let id = try library.insert(WiderTag(name: "a", color: "red"))
            return ID<UndoTag>(rawValue: id.rawValue)
        }
        try await app.update(id) { $0.name = "b" }
        try await app.undo()
        let wide = ID<WiderTag>(rawValue: id.rawValue)
        #expect(try await other.read(wide)?.color == "red")
        try await app.delete(id)
        try await app.undo()
        #expect(try await other.read(wide)?.color == "red")
        try await app.update(id) { $0.name = "b" }
        try await other.update(wide) { $0.color = "blue" }
        try await app.undo()
        #expect(try await other.read(wide) == WiderTag(id: wide, name: "a", color: "blue"))
        try await close(app, other)
    }

    private struct Shelf: Record {
        var id: ID<Shelf> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
    }

    @Test func `what names a record that is gone does not come back, whatever else its link may lead to`() async throws
    {
        try await withUndo { store in
            let account = try await store.insert(UndoAccount(name: "Savings"))
            let tag = try await store.insert(UndoTag(name: "rent"))
            let other = try await store.insert(UndoTag(name: "other"))
            try await store.insert(UndoTransfer(account: account, tag: other, amount: 2))
            // Links to tags may lead nowhere from here on.
            try await store.write { library in _ = try library.replace(other, with: Shelf(name: "other")) }
            let transfer = try await store.insert(UndoTransfer(account: account, tag: tag, amount: 1))
            try await store.delete(transfer)
            try await store.write { library in
                library.leaveOutOfUndo()
                try library.delete(tag)
            }
            let error = await libraryError { try await store.undo() }
            guard case .undoRefused? = error else { Issue.record("\(String(describing: error))"); return }
            #expect(try store.snapshot.records(UndoTransfer.self).count == 1)
        }
    }
}

private struct FirstVersion: Record {
    var id: ID<FirstVersion> = .unassigned
    var amount = 0
    enum CodingKeys: Int, CodingKey { case id, amount }
    static let recordName = "Versioned"
}

private struct SecondVersion: Record {
    var id: ID<SecondVersion> = .unassigned
    var amount = 0
    var note: String?
    enum CodingKeys: Int, CodingKey { case id, amount, note }
    static let recordName = "Versioned"
    static let upgrades = [Upgrade<SecondVersion>(2) { $0.amount *= 100 }]
}

private struct WiderTag: Record, Equatable {
    var id: ID<WiderTag> = .unassigned
    var name = ""
    var color: String?
    enum CodingKeys: Int, CodingKey { case id, name, color }
    static let recordName = "UndoTag"
}

extension RecordLibrary {
    fileprivate func read(_ id: ID<WiderTag>) async throws -> WiderTag? {
        await database.follow()
        return try snapshot.records(WiderTag.self)[id]
    }
}

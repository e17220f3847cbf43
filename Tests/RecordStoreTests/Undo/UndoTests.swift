import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// The last commits of an opening, undone and done again.
struct UndoTests {
    /// An account with two transfers, one of a tag, in a library that can undo.
    private func filled(_ store: RecordLibrary) async throws -> (account: ID<UndoAccount>, tag: ID<UndoTag>) {
        let filled = try await store.write { library in
            let account = try library.insert(UndoAccount(name: "Savings", note: "old"))
            let tag = try library.insert(UndoTag(name: "rent"))
            try library.insert(UndoTransfer(account: account, tag: tag, amount: 12))
            try library.insert(UndoTransfer(account: account, amount: -7, lines: [UndoLine(text: "a", share: 7)]))
            return (account, tag)
        }
        store.forgetUndoable()
        return filled
    }

    private func undoAndRedo(
        _ change: @Sendable (inout LibraryTransaction, ID<UndoAccount>, ID<UndoTag>) throws -> Void
    )
        async throws
    {
        try await withUndo { store in
            let (account, tag) = try await filled(store)
            let before = store.snapshot
            try await store.write { library in try change(&library, account, tag) }
            let after = store.snapshot
            #expect(after.commitNumber == before.commitNumber + 1)
            for _ in 0..<2 {
                let undone = try #require(try await store.undo())
                #expect(store.redoable.map(\.counts).first?.count == undone.counts.count)
                try expectSameRecords(store.snapshot, before)
                #expect(try store.snapshot.exportedLines() == before.exportedLines())
                expectSound(store.snapshot)
                #expect(store.undoable.isEmpty)
                #expect(try await store.undo() == nil)
                #expect(try await store.redo() != nil)
                try expectSameRecords(store.snapshot, after)
                expectSound(store.snapshot)
                #expect(store.redoable.isEmpty)
                #expect(try await store.redo() == nil)
            }
        }
    }

    private struct Holder: Record {
        var id: ID<Holder> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
    }

    /// Which no order takes without those that it names: its two sides would stand at one key, with sums of two units.
    private struct Swap: Record {
        var id: ID<Swap> = .unassigned
        var from: Reference<Holder>?
        var to: Reference<Holder>?
        var sent: Money = 1
        var sentIn = "EUR"
        var received: Money = 2
        var receivedIn = "USD"
        enum CodingKeys: Int, CodingKey { case id, from, to, sent, sentIn, received, receivedIn }
        static let schema = Schema {
            Link(\.from, onDelete: .cascade)
            Link(\.to, onDelete: .cascade)
            Order("by name") {
                Stand(.linked(\.from, .ascending(\.name))).sum(minus: \.sent, in: \.sentIn)
                Stand(.linked(\.to, .ascending(\.name))).sum(\.received, in: \.receivedIn)
            }
        }
    }

    @Test func `records that name each other's kin are taken back and put back whole, whichever was written first`()
        async throws
    {
        try await withUndo { store in
            let (holders, swap) = try await store.write { library in
                let (a, b) = (try library.insert(Holder(name: "a")), try library.insert(Holder(name: "b")))
                return ([a, b], try library.insert(Swap(from: .init(a), to: .init(b))))
            }
            let inserted = try store.snapshot.exportedLines()
            for _ in 0..<2 {
                #expect(try await store.undo() != nil)
                #expect(try store.snapshot.records(Holder.self).count == 0)
                expectSound(store.snapshot)
                #expect(try await store.redo() != nil)
                #expect(try store.snapshot.exportedLines() == inserted)
                expectSound(store.snapshot)
            }
            // A deletion changes the swap before its holders go.
            try await store.write { library in
                try library.delete(swap)
                for holder in holders { try library.delete(holder) }
            }
            #expect(try await store.undo() != nil)
            #expect(try store.snapshot.exportedLines() == inserted)
            expectSound(store.snapshot)
        }
    }

    @Test func `an insertion is deleted, and comes back under its identifier`() async throws {
        try await undoAndRedo { library, account, tag in
            try library.insert(UndoTransfer(account: account, tag: tag, amount: 3))
            try library.insert(UndoAccount(name: "Current"))
        }
    }

    @Test func `an update is taken back, field by field and part by part`() async throws {
        try await undoAndRedo { library, account, tag in
            var changed = try #require(try library.record(account))
            (changed.name, changed.note, changed.balance) = ("Holidays", nil, 5)
            try library.update(changed)
            for var transfer in try library.records(UndoTransfer.self).where(\.account, equals: account).page() {
                transfer.lines.append(UndoLine(text: "b", share: 1))
                transfer.tag = transfer.tag == nil ? tag : nil
                try library.update(transfer)
            }
        }
    }

    @Test func `a deletion comes back with what went and what lost its link`() async throws {
        try await undoAndRedo { library, account, tag in
            try library.delete(tag)
            try library.delete(account)
        }
        try await undoAndRedo { library, _, tag in try library.delete(tag) }
        try await undoAndRedo { library, account, _ in try library.delete(account) }
    }

    @Test func `one commit of everything is taken back at once`() async throws {
        try await undoAndRedo { library, account, tag in
            let other = try library.insert(UndoAccount(name: "Other"))
            for var transfer in try library.records(UndoTransfer.self).where(\.account, equals: account).page() {
                transfer.account = other
                try library.update(transfer)
            }
            try library.delete(account)
            // The name of one that went.
            try library.insert(UndoAccount(name: "Savings"))
            try library.delete(tag)
        }
    }

    @Test func `unique keys that were exchanged are exchanged back`() async throws {
        try await withUndo { store in
            let (first, second) = try await store.write { library in
                (try library.insert(UndoAccount(name: "a")), try library.insert(UndoAccount(name: "b")))
            }
            let before = store.snapshot
            try await store.write { library in
                try library.update(UndoAccount(id: first, name: "c"))
                try library.update(UndoAccount(id: second, name: "a"))
                try library.update(UndoAccount(id: first, name: "b"))
            }
            let after = store.snapshot
            try await store.undo()
            try expectSameRecords(store.snapshot, before)
            expectSound(store.snapshot)
            try await store.redo()
            try expectSameRecords(store.snapshot, after)
        }
    }

    @Test func `what is put and taken away, or changed and changed back, within a commit is nothing to undo`()
        async throws
    {
        try await withUndo { store in
            let (account, _) = try await filled(store)
            try await store.write { library in
                let id = try library.insert(UndoTag(name: "brief"))
                try library.delete(id)
                var record = try #require(try library.record(account))
                record.balance = 1
                try library.update(record)
                record.balance = 0
                try library.update(record)
            }
            #expect(store.undoable.isEmpty)
        }
    }

    // MARK: What can be undone

    @Test func `commits are undone newest first, and done again in their order`() async throws {
        try await withUndo { store in
            var snapshots = [store.snapshot]
            for number in 0..<5 {
                try await store.write { library in
                    library.commitName = "Add \(number)"
                    try library.insert(UndoAccount(name: "\(number)"))
                }
                snapshots.append(store.snapshot)
            }
            #expect(store.undoable.map(\.name) == ["Add 4", "Add 3", "Add 2", "Add 1", "Add 0"])
            let count = UndoStep.Count(kind: "UndoAccount", plural: "UndoAccount", what: .inserted, count: 1)
            #expect(store.undoable.allSatisfy { $0.counts == [count] })
            for number in (0..<5).reversed() {
                let step = try #require(try await store.undo())
                #expect(step.name == "Add \(number)" && step.commitNumber == snapshots[number + 1].commitNumber)
                try expectSameRecords(store.snapshot, snapshots[number])
            }
            #expect(store.redoable.map(\.name) == ["Add 0", "Add 1", "Add 2", "Add 3", "Add 4"])
            for number in 0..<5 {
                #expect(try await store.redo()?.name == "Add \(number)")
                try expectSameRecords(store.snapshot, snapshots[number + 1])
            }
            #expect(store.undoable.map(\.name) == ["Add 4", "Add 3", "Add 2", "Add 1", "Add 0"])
        }
    }

    @Test func `a new commit ends what can be done again`() async throws {
        try await withUndo { store in
            try await store.insert(UndoTag(name: "a"))
            try await store.undo()
            #expect(store.redoable.count == 1)
            try await store.insert(UndoTag(name: "b"))
            #expect(store.redoable.isEmpty)
            #expect(try await store.redo() == nil)
        }
    }

    @Test func `what is left out, migrated, or done by the library itself is passed over`() async throws {
        try await withUndo { store in
            let tag = try await store.insert(UndoTag(name: "a"))
            try await store.write { library in
                library.leaveOutOfUndo()
                try library.insert(UndoAccount(name: "synchronised"))
            }
            try await store.migrate(store.snapshot.records(UndoAccount.self).all) { account, library in
                var account = account
                account.balance = 7
                try library.update(account)
            }
            try await store.makeOrders(of: UndoTransfer.self)
            #expect(store.undoable.count == 1)
            try await store.undo()
            #expect(try store.snapshot.records(UndoTag.self)[tag] == nil)
            #expect(try store.snapshot.records(UndoAccount.self).all.map(\.balance) == [7])
        }
    }

    @Test func `a load ends what can be undone, and so does a library that is closed`() async throws {
        let store = try RecordLibrary.inMemory(undo: .on)
        try await store.insert(UndoTag(name: "a"))
        try await store.load(UndoTag.self) { library in try library.insert(UndoTag(name: "b")) }
        #expect(store.undoable.isEmpty)
        #expect(try await store.undo() == nil)
        try await store.insert(UndoTag(name: "c"))
        try await store.close()
        let error = await libraryError { try await store.undo() }
        guard case .closed? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a library that keeps nothing says how to keep something`() async throws {
        try await withLibrary { store in
            try await store.insert(UndoTag(name: "a"))
            #expect(store.undoable.isEmpty)
            let error = await libraryError { try await store.undo() }
            #expect(error?.sentence.contains("undo: .on") == true)
        }
    }

    @Test func `undoing an insertion of more than a commit keeps leaves what was before to be undone`() async throws {
        try await withUndo { store in
            let tag = try await store.insert(UndoTag(name: "a"))
            try await store.update(tag) { $0.name = "b" }
            let note = String(repeating: "x", count: 15 << 20)
            try await store.write { library in
                for number in 0..<5 { try library.insert(UndoAccount(name: "\(number)", note: note)) }
            }
            try await store.undo()
            #expect(store.redoable.isEmpty && store.undoable.count == 2)
            try await store.undo()
            #expect(try store.snapshot.records(UndoTag.self)[tag]?.name == "a")
            #expect(try store.snapshot.records(UndoAccount.self).count == 0)
        }
    }

    @Test func `only so many commits can be undone`() async throws {
        try await withUndo(UndoKeeping(commitCount: 3)) { store in
            for number in 0..<5 { try await store.insert(UndoTag(name: "\(number)")) }
            #expect(store.undoable.count == 3)
            while try await store.undo() != nil {}
            #expect(try store.snapshot.records(UndoTag.self).all.map(\.name) == ["0", "1"])
            #expect(store.redoable.count == 3)
        }
    }

    @Test func `a commit is undone whatever its durability is`() async throws {
        for durability in [Durability.memory, .ordered, .flushed] {
            try await withUndo { store in
                let before = store.snapshot
                for number in 0..<20 { try await store.insert(UndoTag(name: "\(number)"), durability) }
                let after = store.snapshot
                while try await store.undo(durability) != nil {}
                try expectSameRecords(store.snapshot, before)
                while try await store.redo(durability) != nil {}
                try expectSameRecords(store.snapshot, after)
            }
        }
    }

    @Test func `many who write and undo at once leave what can be undone to the end`() async throws {
        try await withUndo { store in
            try await store.insert(UndoTag(name: "first"))
            let before = store.snapshot
            store.forgetUndoable()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for number in 0..<10 { try await store.insert(UndoTag(name: "\(writer) \(number)")) }
                    }
                    group.addTask { for _ in 0..<5 { try await store.undo() } }
                }
                try await group.waitForAll()
            }
            while try await store.undo() != nil {}
            try expectSameRecords(store.snapshot, before)
        }
    }

    /// A library whose commits can be held up between their making and their being seen.
    private func heldUp() throws -> (RecordLibrary, CountingDisk) {
        let disk = CountingDisk()
        var settings = LibrarySettings(fileSystem: disk)
        settings.undo = .on
        let store = RecordLibrary(try RecordLibrary.open("Held.bookdb", settings))
        disk.holdFlushes(false)
        return (store, disk)
    }

    /// Returns when a commit of that number is made, seen or not.
    private func made(_ commitNumber: UInt64, _ store: RecordLibrary) async {
        while !store.undoHistory.isComing(commitNumber) { await pause() }
    }

    @Test func `a commit that is made and not seen yet is the first to be undone`() async throws {
        let (store, disk) = try heldUp()
        let tag = try await store.insert(UndoTag(name: "a"))
        // The next writes go by a thread of their own.
        try await store.update(tag) { $0.name = "b" }
        let before = store.snapshot
        disk.holdFlushes(true)
        let deletion = Task { _ = try await store.delete(tag) }
        await made(before.commitNumber + 1, store)
        let undoing = Task { try await store.undo() }
        for _ in 0..<20 { await pause() }
        disk.holdFlushes(false)
        try await deletion.value
        #expect(try await undoing.value?.commitNumber == before.commitNumber + 1)
        try expectSameRecords(store.snapshot, before)
        #expect(store.undoable.map(\.commitNumber) == [before.commitNumber, before.commitNumber - 1])
        try await store.undo()
        try await store.undo()
        #expect(try store.snapshot.records(UndoTag.self).count == 0 && store.undoable.isEmpty)
        try await store.close()
    }

    @Test func `a commit that is made and not seen yet ends what can be done again`() async throws {
        let (store, disk) = try heldUp()
        let tag = try await store.insert(UndoTag(name: "a"))
        try await store.update(tag) { $0.name = "b" }
        try await store.undo()
        let number = store.snapshot.commitNumber
        disk.holdFlushes(true)
        let change = Task { try await store.update(tag) { $0.name = "c" } }
        await made(number + 1, store)
        let redoing = Task { try await store.redo() }
        for _ in 0..<20 { await pause() }
        disk.holdFlushes(false)
        _ = try await change.value
        #expect(try await redoing.value == nil)
        #expect(try store.snapshot.records(UndoTag.self)[tag]?.name == "c")
        try await store.close()
    }

    @Test func `calls that undo at once take back one commit after the other, also those that are read from the log`()
        async throws
    {
        try await withUndo(UndoKeeping(commitCount: 100, byteCount: 0)) { store in
            for round in 0..<20 {
                let tag = try await store.insert(UndoTag(name: "\(round)"))
                try await store.delete(tag)
                let before = store.snapshot
                async let (first, second) = (store.undo(), store.undo())
                let undone = try await Set([first, second].compactMap { $0?.commitNumber })
                #expect(undone == [before.commitNumber, before.commitNumber - 1])
                #expect(try store.snapshot.records(UndoTag.self)[tag] == nil)
            }
        }
    }

    @Test func `subscribers are told of an undoing as of any commit`() async throws {
        try await withUndo { store in
            let (account, _) = try await filled(store)
            try await store.delete(account)
            var commits = store.commits.makeAsyncIterator()
            try await store.undo()
            let commit = try #require(await commits.next())
            #expect(commit.records(UndoAccount.self).inserted == [account])
            #expect(commit.records(UndoTransfer.self).inserted.count == 2)
        }
    }

    @Test func `an identifier is never given again for one that was undone`() async throws {
        try await withUndo { store in
            let first = try await store.insert(UndoTag(name: "a"))
            try await store.undo()
            let second = try await store.insert(UndoTag(name: "b"))
            #expect(second != first)
        }
    }

    @Test func `a name of any length is kept by its beginning`() async throws {
        try await withUndo { store in
            try await store.write { library in
                library.commitName = String(repeating: "👩‍👩‍👧‍👦", count: 2000)
                try library.insert(UndoTag(name: "a"))
            }
            let name = try #require(store.undoable.first?.name)
            #expect((900...1024).contains(name.utf8.count))
        }
    }
}

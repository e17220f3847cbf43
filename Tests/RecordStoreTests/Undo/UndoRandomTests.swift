import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// Random histories that are undone and done again, compared with snapshots held from then.
struct UndoRandomTests {
    private static func step(_ library: inout LibraryTransaction, _ random: inout SeededGenerator) throws {
        let accounts = try library.records(UndoAccount.self).all.page()
        let tags = try library.records(UndoTag.self).all.page()
        let transfers = try library.records(UndoTransfer.self).all.page()
        do throws(LibraryError) {
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1:
                try library.insert(UndoAccount(name: "\(Int.random(in: 0..<8, using: &random))", note: "n"))
            case 2: try library.insert(UndoTag(name: "t"))
            case 3, 4, 5:
                guard let account = random.pick(accounts) else { return }
                try library.insert(
                    UndoTransfer(
                        account: account.id, tag: random.pick(tags)?.id,
                        amount: Money(Int.random(in: -9...9, using: &random))))
            case 6:
                guard var account = random.pick(accounts) else { return }
                account.name = "\(Int.random(in: 0..<8, using: &random))"
                try library.update(account)
            case 7:
                guard var account = random.pick(accounts) else { return }
                account.balance += 1
                account.note = random.oneIn(2) ? nil : "\(account.balance)"
                try library.update(account)
            case 8, 9:
                guard var transfer = random.pick(transfers), let account = random.pick(accounts) else { return }
                if random.oneIn(2) { transfer.account = account.id }
                if random.oneIn(2) { transfer.tag = random.pick(tags)?.id }
                if random.oneIn(2) { transfer.lines.append(UndoLine(text: "l", share: 1)) }
                try library.update(transfer)
            case 10:
                guard let account = random.pick(accounts) else { return }
                try library.delete(account.id)
            default:
                if random.oneIn(2), let tag = random.pick(tags) { try library.delete(tag.id) }
                if let transfer = random.pick(transfers) { try library.delete(transfer.id) }
            }
        } catch {
            guard error.isOfData else { throw error }
        }
    }

    private static let keepings = [
        UndoKeeping.on, UndoKeeping(commitCount: 1000, byteCount: 0), UndoKeeping(commitCount: 1000, byteCount: 3000),
    ]

    @Test(arguments: keepings, [41 as UInt64, 42, 43])
    func `random commits are undone to each snapshot held from before, and done again to each from behind`(
        keeping: UndoKeeping, fallback: UInt64
    ) async throws {
        var random = SeededGenerator(seed: SeededGenerator.seed(for: "UndoRandomTests", fallback: fallback))
        try await withUndo(keeping) { store in
            // Where the newest is undone to, and what can be done again.
            var (past, future) = ([store.snapshot], [Snapshot]())
            for _ in 0..<80 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5:
                    let before = store.snapshot
                    random = try await store.write(random.oneIn(2) ? .memory : .flushed) { [random] library in
                        var random = random
                        for _ in 0..<Int.random(in: 1...4, using: &random) { try Self.step(&library, &random) }
                        return random
                    }
                    let isNew = store.undoable.first.map { $0.commitNumber > before.commitNumber } ?? false
                    if isNew {
                        past.append(store.snapshot)
                        future = []
                    } else {
                        try expectSameRecords(store.snapshot, before)
                    }
                case 5..<8:
                    let isThere = past.count > 1
                    #expect(store.undoable.count == past.count - 1)
                    #expect((try await store.undo() != nil) == isThere)
                    if isThere { future.append(past.removeLast()) }
                    try expectSameRecords(store.snapshot, try #require(past.last))
                case 8:
                    let next = future.popLast()
                    #expect((try await store.redo() != nil) == (next != nil))
                    if let next {
                        past.append(next)
                        try expectSameRecords(store.snapshot, next)
                    }
                default: expectSound(store.snapshot)
                }
            }
            while past.count > 1 {
                future.append(past.removeLast())
                try await store.undo()
                try expectSameRecords(store.snapshot, try #require(past.last))
            }
            expectSound(store.snapshot)
        }
    }

    /// Others change fields that no commit of the one who undoes has changed: they stay, and all else goes back.
    @Test(arguments: [51 as UInt64, 52])
    func `random commits are undone around what others have changed meanwhile, or refused and nothing changes`(
        fallback: UInt64
    ) async throws {
        var random = SeededGenerator(seed: SeededGenerator.seed(for: "UndoRandomTests", fallback: fallback))
        let disk = MemoryFileSystem()
        func open(_ undo: UndoKeeping) throws -> RecordLibrary {
            var settings = LibrarySettings.patient(.shared, disk)
            (settings.undo, settings.device) = (undo, 1)
            return RecordLibrary(try RecordLibrary.open("A.bookdb", settings))
        }
        let (app, other) = (try open(.on), try open(.off))
        var (undoneCount, refusedCount) = (0, 0)
        for _ in 0..<80 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<4:
                random = try await app.write { [random] library in
                    var random = random
                    try Self.step(&library, &random)
                    return random
                }
            case 4:
                random = try await other.write { [random] library in
                    var random = random
                    try Self.step(&library, &random)
                    return random
                }
            default:
                await app.database.follow()
                let before = app.snapshot
                do throws(LibraryError) {
                    if try await (random.oneIn(3) ? app.redo() : app.undo()) != nil { undoneCount += 1 }
                } catch {
                    guard case .undoRefused(let conflicts) = error else { throw error }
                    #expect(!conflicts.isEmpty)
                    refusedCount += 1
                    try expectSameRecords(app.snapshot, before)
                    app.forgetUndoable()
                }
                expectSound(app.snapshot)
            }
        }
        #expect(undoneCount > 5, "\(undoneCount) undone, \(refusedCount) refused")
        try await app.close()
        try await other.close()
        #expect(try RecordLibrary.verify(at: "A.bookdb", fileSystem: disk).isSound)
    }
}

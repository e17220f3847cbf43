import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// What the log says of what a commit replaced: read for steps that memory does not hold, and harmless whatever its bytes are.
struct UndoNoteTests {
    private static let path = DamageableLibrary.path
    private let library = DamageableLibrary(fileSystem: MemoryFileSystem())

    private func open(_ undo: UndoKeeping, access: RecordLibrary.Access = .exclusive) throws -> RecordLibrary {
        var settings = LibrarySettings.patient(access, library.fileSystem)
        (settings.undo, settings.device) = (undo, 0xB00C)
        return RecordLibrary(try RecordLibrary.open(Self.path, settings))
    }

    /// Nothing is held in memory.
    private static let logOnly = UndoKeeping(commitCount: 100, byteCount: 0)

    private func operations(_ commitNumber: UInt64) throws -> [LoggedOperation] {
        var log = try StoreLog(at: Self.path, fileSystem: library.fileSystem)
        let index = try #require(log.heads.firstIndex { $0.number == commitNumber })
        return try log.operations(at: index)
    }

    @Test func `what is not held is read from the log, as of the commit`() async throws {
        let store = try open(Self.logOnly)
        let account = try await store.insert(UndoAccount(name: "a", note: "old"), .memory)
        let before = store.snapshot
        try await store.write(.memory) { library in
            try library.update(UndoAccount(id: account, name: "b"))
            try library.insert(UndoTransfer(account: account, amount: 2))
        }
        let after = store.snapshot
        try await store.undo()
        try expectSameRecords(store.snapshot, before)
        try await store.redo(.memory)
        try expectSameRecords(store.snapshot, after)
        try await store.undo()
        try await store.undo()
        #expect(try store.snapshot.records(UndoAccount.self).count == 0)
        try await store.close()
        #expect(try library.verify().isSound)
    }

    @Test func `a record that a commit changed and changed back is as it was when the commit is undone from the log`()
        async throws
    {
        let store = try open(Self.logOnly)
        let account = try await store.insert(UndoAccount(name: "a", note: "kept"), .memory)
        let other = try await store.insert(UndoAccount(name: "b"), .memory)
        let before = store.snapshot
        try await store.write(.memory) { library in
            try library.update(UndoAccount(id: account, name: "passing", note: "kept"))
            try library.update(UndoAccount(id: account, name: "a", note: "kept"))
            try library.update(UndoAccount(id: other, name: "c"))
        }
        // Its own entry, and its name's, were there before: a commit that says nothing of them has made them.
        try await store.undo()
        try expectSameRecords(store.snapshot, before)
        try await store.close()
        #expect(try library.verify().isSound)
    }

    @Test func `behind a compaction only what is held can be undone`() async throws {
        let store = try open(.on)
        let tag = try await store.insert(UndoTag(name: "a"))
        try await store.update(tag) { $0.name = "b" }
        try await store.compact()
        try await store.update(tag) { $0.name = "c" }
        for name in ["b", "a"] {
            try await store.undo()
            #expect(try store.snapshot.records(UndoTag.self)[tag]?.name == name)
        }
        try await store.redo()
        try await store.close()
        let other = try open(Self.logOnly)
        try await other.update(tag) { $0.name = "d" }
        #expect(other.undoable.count == 1)
        try await other.compact()
        #expect(other.undoable.isEmpty)
        #expect(try await other.undo() == nil)
        try await other.update(tag) { $0.name = "e" }
        try await other.undo()
        #expect(try other.snapshot.records(UndoTag.self)[tag]?.name == "d")
        try await other.close()
    }

    @Test func `what another process has compacted away is lost, and says so once`() async throws {
        let (app, other) = (try open(Self.logOnly, access: .shared), try open(.off, access: .shared))
        let tag = try await app.insert(UndoTag(name: "a"))
        try await app.update(tag) { $0.name = "b" }
        let commitNumber = app.snapshot.commitNumber
        try await other.compact()
        let error = await libraryError { try await app.undo() }
        #expect(error == .undoLost(commitNumber: commitNumber))
        #expect(app.undoable.isEmpty)
        #expect(try await app.undo() == nil)
        #expect(try app.snapshot.records(UndoTag.self)[tag]?.name == "b")
        try await app.close()
        try await other.close()
    }

    @Test func `an opening knows nothing of the commits of those before it`() async throws {
        let store = try open(.on)
        try await store.insert(UndoTag(name: "a"))
        try await store.close()
        let again = try open(.on)
        #expect(again.undoable.isEmpty)
        #expect(try await again.undo() == nil)
        try await again.close()
    }

    @Test func `the log says what was there before, what the commit is called, and which it takes back`() async throws {
        let store = try open(.on)
        let tag = try await store.insert(UndoTag(name: "a"))
        try await store.write { library in
            library.commitName = "Rename"
            try library.update(UndoTag(id: tag, name: "b"))
        }
        try await store.undo()
        let tree = RecordKind<UndoTag>.current.tree
        let bytes = try RecordKind<UndoTag>.current.encode(UndoTag(name: "a"))
        let notes = try (1...3).map { number in
            try operations(number).compactMap { operation -> (UInt8, [UInt8])? in
                if case .note(let code, let note) = operation.kind { (code, note) } else { nil }
            }
        }
        #expect(notes[0].map(\.0) == [64] && notes[0][0].1.isEmpty, "nothing was there before")
        #expect(notes[1].map(\.0) == [64, 67])
        #expect(
            EntryBefore(note: notes[1][0].1) == EntryBefore(tree: tree, key: .bigEndian(tag.rawValue), value: bytes))
        #expect(notes[2].map(\.0) == [64, 67, 68] && notes[2][2].1 == .bigEndian(UInt64(2)))
        var log = try RecordLibrary.log(at: Self.path, fileSystem: library.fileSystem)
        let commits = try log.commits()
        #expect(commits.map(\.name) == [nil, "Rename", "Rename"])
        #expect(commits.map(\.undoneCommit) == [nil, nil, 2])
        try await store.close()
    }

    @Test func `a library that keeps nothing writes what it did before, and a name`() async throws {
        let store = try open(.off)
        let tag = try await store.insert(UndoTag(name: "a"))
        try await store.write { library in
            library.commitName = "Nothing"
            try library.update(UndoTag(id: tag, name: "a"))
        }
        #expect(store.snapshot.commitNumber == 1, "a name alone is no commit")
        try await store.write { library in
            library.commitName = "Rename"
            try library.update(UndoTag(id: tag, name: "b"))
        }
        let codes = try operations(2).compactMap { operation -> UInt8? in
            if case .note(let code, _) = operation.kind { code } else { nil }
        }
        #expect(codes == [67])
        try await store.close()
    }

    @Test func `a log that is cut anywhere within an undoing leaves what was before it, or after it`() async throws {
        let store = try open(.on)
        let account = try await store.insert(UndoAccount(name: "a"))
        try await store.insert(UndoTransfer(account: account, amount: 4))
        try await store.delete(account)
        let before = try store.snapshot.exportedLines()
        var log = try StoreLog(at: Self.path, fileSystem: library.fileSystem)
        let start = try #require(log.heads.last).byteOffset + log.heads.last!.byteCount
        try await store.undo()
        let after = try store.snapshot.exportedLines()
        #expect(before != after)
        log = try StoreLog(at: Self.path, fileSystem: library.fileSystem)
        let end = try #require(log.heads.last).byteOffset + log.heads.last!.byteCount
        for length in start...end {
            let copy = try library.copy()
            let path = try copy.logPath
            try copy.replace(path, with: Array(try copy.bytes(of: path).prefix(length)))
            let reopened = try copy.open()
            let lines = try reopened.snapshot.exportedLines()
            #expect(length == end ? lines == after : lines == before || lines == after, "at \(length)")
            try await reopened.close()
        }
        try await store.close()
    }

    // MARK: Bytes of any kind

    @Test func `a note says what it was made of, and bytes of any kind say something or nothing`() throws {
        var random = SeededGenerator.forTest(fallback: 35)
        for _ in 0..<2000 {
            let key = (0..<Int.random(in: 1...512, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
            }
            let value = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let tree = TreeNumber(UInt32.random(in: 1...16_777_215, using: &random))
            let entry = EntryBefore(tree: tree, key: key, value: value)
            var note = entry.note
            #expect(EntryBefore(note: note) == entry)
            for _ in 0..<8 {
                let index = Int.random(in: 0..<note.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: note[index] = UInt8.random(in: 0...255, using: &random)
                case 1: note.removeSubrange(index...)
                default: note.insert(UInt8.random(in: 0...255, using: &random), at: index)
                }
                if let read = EntryBefore(note: note) {
                    #expect(EntryBefore(note: read.note) == read)
                }
                if note.isEmpty { break }
            }
        }
    }

    /// What a commit of garbage says, it says of records of the library: bytes that are no record come back as bytes, and the transaction says so
    /// or takes them; nothing traps and what is left is sound.
    @Test func `steps of garbage are refused or taken, and leave a sound library`() async throws {
        var random = SeededGenerator.forTest(fallback: 36)
        try await withUndo { store in
            let (account, transfer) = try await store.write { library in
                let account = try library.insert(UndoAccount(name: "a", note: "n"))
                return (account, try library.insert(UndoTransfer(account: account, amount: 4)))
            }
            let trees = [RecordKind<UndoAccount>.current.tree, RecordKind<UndoTransfer>.current.tree, TreeNumber(4)]
            for _ in 0..<300 {
                let entries = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    func bytes() -> [UInt8]? {
                        random.oneIn(4)
                            ? nil
                            : (0..<Int.random(in: 0...12, using: &random)).map { _ in
                                UInt8.random(in: 0...30, using: &random)
                            }
                    }
                    let id = random.oneIn(2) ? account.rawValue : transfer.rawValue
                    let key = random.oneIn(5) ? bytes() ?? [] : .bigEndian(id)
                    return ReplacedEntry(tree: random.pick(trees)!, key: key, before: bytes(), after: bytes())
                }
                _ = await libraryError {
                    try await store.write { library in
                        try library.revert(entries)
                        // Nothing of it is to stay.
                        throw LibraryError.cancelled
                    }
                }
            }
            #expect(try store.snapshot.records(UndoAccount.self)[account]?.note == "n")
        }
    }
}

import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// Every file of a small library missing, or cut to a length up to 5,000 bytes, under everything that reads a library: nothing
/// traps, and nothing that is called sound, whole or complete lacks a record that the library is not known to have lost.
@Suite struct CutLibraryTests {
    private static let path = DamageableLibrary.path
    private static let lateWorkCount = 4

    /// Five works in the snapshot, with a search file, and a commit for each of four more in the log.
    private static let original = Task {
        let library = try await DamageableLibrary.make(works: 5)
        let store = try BookStore(at: path, fileSystem: library.fileSystem, leastSearchFileRowCount: 1)
        try await store.compact()
        for number in 0..<lateWorkCount { try await store.add("Late \(number)", by: "Author 0001", status: .read) }
        try await store.close()
        return library
    }

    private struct Cut {
        let library: DamageableLibrary
        /// The file is the snapshot or the log, and not so much of it is left that it says what it is.
        let hasLostHead: Bool
        /// That, or the log ends before a commit that the library is known to have been closed with.
        let isKnownToLose: Bool
        let words: Comment
    }

    private static func name(_ prefix: String) async throws -> String {
        let names = try await original.value.fileSystem.names(inDirectory: path)
        return try #require(names.first { $0.hasPrefix(prefix) })
    }

    private func forEachCut(_ prefix: String, _ body: (Cut) async throws -> Void) async throws {
        let original = try await Self.original.value
        let path = try await Self.path + "/" + Self.name(prefix)
        let bytes = try original.bytes(of: path)
        let last = try #require(try StoreLog(at: Self.path, fileSystem: original.fileSystem).heads.last)
        let end = try #require(bytes.prefix(last.byteOffset + last.byteCount).lastIndex { $0 != 0 }) + 1
        // A crash leaves a history that tells of no closing behind its commits.
        for (length, isClosed) in CutLengths.of(fileWith: bytes.count).flatMap({ [($0, true), ($0, false)] }) {
            let library = try original.copy()
            if !isClosed { library.fileSystem.remove(Self.path + "/history") }
            if let length {
                try library.replace(path, with: Array(bytes[..<length]))
            } else {
                library.fileSystem.remove(path)
            }
            let hasLostHead = prefix == "snapshot-" || prefix == "log-" && length.map { $0 < 64 } ?? true
            let isKnownToLose = hasLostHead || prefix == "log-" && isClosed && length.map { $0 < end } ?? true
            let words = "\(prefix) \(length.map { "cut to \($0)" } ?? "missing")" + (isClosed ? "" : ", not closed")
            try await body(
                Cut(
                    library: library, hasLostHead: hasLostHead, isKnownToLose: isKnownToLose,
                    words: Comment(rawValue: words)))
        }
    }

    /// The records that the library shows when nothing says that some are missing; `nil` when something does.
    private func shown(_ cut: Cut) throws -> [String: String]? {
        guard let store = try? cut.library.open(.readOnly), case .ready = store.health else { return nil }
        return try store.snapshot.exported()
    }

    @Test(arguments: ["snapshot-", "log-", "search-"])
    func `a library opens as of a commit, or says what is wrong`(prefix: String) async throws {
        let sound = try await Self.original.value.open(.readOnly).snapshot.exported()
        try await forEachCut(prefix) { cut in
            let shown = try shown(cut)
            #expect((shown == nil) == cut.isKnownToLose, cut.words)
            guard let shown else { return }
            if prefix == "search-" { #expect(shown == sound, cut.words) }
            #expect(shown.allSatisfy { sound[$0.key] == $0.value }, cut.words)
            let store = try cut.library.open()
            #expect(try store.snapshot.exported() == shown, cut.words)
            let found = try store.snapshot.works.search("book 0003").first().map(\.item.title)
            #expect(found == ["Book 0003"], cut.words)
            try await store.close()
        }
    }

    @Test(arguments: ["snapshot-", "log-", "search-"])
    func `what is verified as sound is, and an inspection opens the same`(prefix: String) async throws {
        try await forEachCut(prefix) { cut in
            let verification = try cut.library.verify()
            #expect(verification.isSound == !cut.isKnownToLose, cut.words)
            #expect(verification.isSound || verification.damage.contains { $0.recordsLost != 0 }, cut.words)
            do throws(LibraryError) {
                let inspection = try BookStore.inspect(at: Self.path, fileSystem: cut.library.fileSystem)
                let isWell = inspection.damage.isEmpty && inspection.opening.damage == nil
                #expect(isWell == !cut.isKnownToLose, cut.words)
            } catch {
                guard case .damaged = error, cut.hasLostHead else { throw error }
            }
        }
    }

    @Test(arguments: ["snapshot-", "log-", "search-"])
    func `a repair is complete only where nothing is known to be lost, and saves something or fails`(
        prefix: String
    ) async throws {
        try await forEachCut(prefix) { cut in
            let shown = try shown(cut)
            let preview: RepairReport
            do {
                preview = try await BookStore.previewRepair(at: Self.path, fileSystem: cut.library.fileSystem)
            } catch LibraryError.damaged {
                #expect(cut.hasLostHead, cut.words)
                let error = await libraryError { try await cut.library.repaired() }
                guard case .damaged = error else { throw try #require(error) }
                #expect(cut.library.fileSystem.kind(of: "Saved.bookdb") == .absent, cut.words)
                return
            }
            #expect(preview.isComplete == !cut.isKnownToLose, cut.words)
            let (store, report) = try await cut.library.repaired()
            #expect(report.tallies == preview.tallies && report.items == preview.items, cut.words)
            #expect(report.tallies.values.contains { $0.saved > 0 }, cut.words)
            if let shown { #expect(try store.snapshot.exported() == shown, cut.words) }
        }
    }

    @Test(arguments: ["snapshot-", "log-", "search-"])
    func `a dump shows what there is of every part`(prefix: String) async throws {
        let parts: [DumpPart] = [
            .header, .page(0), .page(1), .page(3), .node(tree: "title", level: nil, index: nil),
            .node(tree: "books", level: 0, index: 0), .log(commit: nil), .log(commit: 3),
            .record(try #require(ID<Work>("000001-2")).rawValue),
        ]
        try await forEachCut(prefix) { cut in
            for part in parts {
                _ = try BookStore.dump(part, of: Self.path, fileSystem: cut.library.fileSystem) { _ in }
            }
        }
    }

    // MARK: By name

    @Test func `without its log a repair saves the snapshot, and says after which commit nobody knows more`()
        async throws
    {
        let library = try await Self.original.value.copy()
        let path = try library.logPath
        library.fileSystem.remove(path)
        let (store, report) = try await library.repaired()
        #expect(!report.isComplete && report.items.isEmpty)
        let end = try #require(report.lostEnd)
        #expect(end.file == path && end.finding == "the segment is missing")
        let inspection = try StoreInspection(at: Self.path, fileSystem: library.fileSystem)
        #expect(try store.snapshot.works.count == 5 && report.lastCommit == inspection.snapshotCommitNumber)
    }

    /// Both were called complete, and saved nothing.
    @Test func `a repair that finds nothing to save names the missing file`() async throws {
        let written = DamageableLibrary(fileSystem: MemoryFileSystem())
        let store = try written.open()
        try await store.add("Emma")
        try await store.close()
        let log = try written.logPath
        written.fileSystem.remove(log)

        let loaded = DamageableLibrary(fileSystem: MemoryFileSystem())
        let other = try loaded.open()
        try await other.load { load in
            for number in 0..<2000 { try load.insert(Work("Book \(number)")) }
        }
        try await other.close()
        loaded.fileSystem.remove(try loaded.snapshotPath)

        for (library, file) in [(written, log), (loaded, Self.path)] {
            for _ in 0..<2 {
                let error = await libraryError { try await library.repaired() }
                guard case .damaged(let finding) = error else { throw try #require(error) }
                #expect(finding.contains("nothing to save") && finding.contains(file))
                #expect(library.fileSystem.kind(of: "Saved.bookdb") == .absent)
                #expect(library.fileSystem.kind(of: "Saved.bookdb.unfinished") == .absent)
            }
            await #expect(throws: LibraryError.self) {
                try await BookStore.previewRepair(at: Self.path, fileSystem: library.fileSystem)
            }
        }
    }
}

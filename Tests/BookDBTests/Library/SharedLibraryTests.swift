import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// One library, opened by a module that knows books and by one that does not.
struct SharedLibraryTests {
    private struct Loan: Record, Equatable {
        var id: ID<Loan> = .unassigned
        var work: Reference<Work> = .unassigned
        var borrower = ""
        enum CodingKeys: Int, CodingKey { case id, work, borrower }
        static let schema = Schema {
            Link(\.work, onDelete: .cascade)
            Order("by borrower", .filed(\.borrower))
        }
    }

    private struct Note: Record, Equatable {
        var id: ID<Note> = .unassigned
        var text = ""
        enum CodingKeys: Int, CodingKey { case id, text }
        static let schema = Schema { Order("by text", .filed(\.text)) }
    }

    private let fileSystem = MemoryFileSystem()
    private let path = "Shared.bookdb"

    private func settings(_ access: RecordLibrary.Access, _ fileSystem: any FileSystem) -> LibrarySettings {
        var settings = LibrarySettings.patient(access, fileSystem)
        settings.device = 7
        return settings
    }

    private func books(_ access: BookStore.Access = .exclusive) throws -> BookStore {
        BookStore(try BookStore.open(path, settings(access, fileSystem)))
    }

    private func records(_ access: RecordLibrary.Access = .exclusive) throws -> RecordLibrary {
        RecordLibrary(try RecordLibrary.open(path, settings(access, fileSystem)))
    }

    private func makeBooks() async throws -> (emma: ID<Work>, loan: ID<Loan>) {
        let store = try books()
        let emma = try await store.add("Emma", by: "Jane Austen")
        try await store.add("Årstider", by: "Ole")
        let loan = try await store.insert(Loan(work: emma, borrower: "Ann"))
        try await store.compact()
        try await store.close()
        return (emma, loan)
    }

    @Test func `who knows no books writes records beside them, and leaves them as they are`() async throws {
        let (emma, loan) = try await makeBooks()
        let plain = try records()
        try await plain.insert(Note(text: "a note"))
        try await plain.compact()
        #expect(try await plain.verify().isSound)
        try await plain.close()
        let store = try books()
        #expect(store.snapshot.works.list().titles == ["Årstider", "Emma"])
        #expect(try store.snapshot.records(Loan.self)[loan]?.work == emma)
        #expect(try store.snapshot.list(Note.self, "by text").page(limit: 9).map(\.text) == ["a note"])
        expectSound(store.snapshot)
        // A link whose target the other module does not know is still a link.
        try await store.write { library in _ = try library.delete(emma) }
        #expect(try store.snapshot.records(Loan.self).count == 0)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a link to what a module does not know is no damage to it`() async throws {
        _ = try await makeBooks()
        #expect(try RecordLibrary.verify(at: path, fileSystem: fileSystem).isSound)
        let plain = try records(.readOnly)
        let target = try plain.snapshot.version.storedLinks().map(\.target)
        #expect(target == [.unknown(1)])
        #expect(try plain.snapshot.version.has(.unknown(1), 99))
    }

    @Test func `a library of records alone is read as one without books, and becomes one with`() async throws {
        let plain = try records()
        let note = try await plain.insert(Note(text: "first"))
        try await plain.close()
        let reader = try books(.readOnly)
        #expect(try reader.snapshot.works.count == 0 && reader.snapshot.works.list().isEmpty)
        #expect(reader.snapshot.works.search("first").isEmpty == false)
        #expect(try reader.snapshot.works.search("first").first(10).isEmpty)
        #expect(try reader.snapshot.records(Note.self)[note]?.text == "first")
        let store = try books()
        let work = try await store.add("Emma")
        #expect(work.counter > note.counter)
        expectSound(store.snapshot)
        try await store.close()
        let again = try records()
        #expect(try again.snapshot.records(Note.self)[note]?.text == "first")
        try await again.close()
    }

    @Test func `when who knows no books files otherwise, the lists of books follow at the next opening`() async throws {
        _ = try await makeBooks()
        let plain = try records()
        try await plain.insert(Note(text: "Årstider"))
        try await plain.insert(Note(text: "Zebra"))
        try await plain.setFiling(.danish)
        try await plain.makeOrders(of: Note.self)
        #expect(try plain.snapshot.list(Note.self, "by text").page(limit: 9).map(\.text) == ["Zebra", "Årstider"])
        try await plain.close()
        // Lists by other rules are not shown by a store that may not make them anew.
        #expect(throws: LibraryError.outdated(path: path)) { try books(.readOnly) }
        let store = try books()
        try await store.write { _ in }
        #expect(store.snapshot.works.list().titles == ["Emma", "Årstider"])
        expectSound(store.snapshot)
        try await store.close()
    }

    /// Its lists were filed by the old letters, and looked up by the new ones, until it wrote something.
    @Test func `when another process files otherwise and knows no books, the lists of who has them open follow`()
        async throws
    {
        _ = try await makeBooks()
        let store = try books(.shared)
        try await store.write { _ in }
        let plain = try records(.shared)
        try await plain.setFiling(.danish)
        await store.database.follow()
        await pause { store.snapshot.works.list().titles == ["Emma", "Årstider"] }
        #expect(store.snapshot.works.list().titles == ["Emma", "Årstider"])
        #expect(try store.snapshot.filing == .danish)
        expectSound(store.snapshot)
        try await plain.close()
        try await store.close()
    }

    /// They stayed as they were until it wrote something, and it seemed well.
    @Test func `lists that cannot be filed as another process has it are tried again, and that is told`() async throws {
        _ = try await makeBooks()
        let disk = GatedDisk(fileSystem)
        let store = BookStore(try BookStore.open(path, settings(.shared, disk)))
        // So many that a load writes a snapshot.
        try await store.write { library in
            for number in 0..<400 { _ = try library.insert(Work("Book \(number)")) }
        }
        try await store.compact()
        let plain = try records(.shared)
        disk.fail { name, mode in
            mode == .creating && name.hasPrefix("snapshot-") ? .diskFull(path: String(name)) : nil
        }
        try await plain.setFiling(.danish)
        await store.database.follow()
        await disk.failures(1)
        #expect(store.health.name == "upgrading")
        disk.fail(nil)
        await pause { store.health.name == "ready" }
        #expect(store.health.name == "ready")
        let named = store.snapshot.works.list().titles.filter { !$0.hasPrefix("Book") }
        #expect(named == ["Emma", "Årstider"])
        expectSound(store.snapshot)
        try await plain.close()
        try await store.close()
    }

    @Test func `who can only read and cannot follow is behind, says so, and is well again when it can`() async throws {
        _ = try await makeBooks()
        let reader = try books(.readOnly)
        let plain = try records(.shared)
        try await plain.insert(Note(text: "first"))
        await reader.database.follow()
        let before = reader.snapshot.commitNumber
        #expect(before == plain.snapshot.commitNumber && reader.health.name == "ready")
        try await plain.setFiling(.danish)
        await reader.database.follow()
        guard case .behind(.outdated) = reader.health else { Issue.record("\(reader.health)"); return }
        #expect(!reader.health.isOpen && reader.health.nextStep != nil)
        #expect(reader.snapshot.commitNumber == before)
        #expect(reader.snapshot.works.list().titles == ["Årstider", "Emma"])
        try await plain.close()
        let store = try books(.shared)
        try await store.write { _ in }
        reader.retry()
        await pause { reader.health.name == "ready" }
        #expect(reader.health.name == "ready" && reader.snapshot.works.list().titles == ["Emma", "Årstider"])
        try await store.close()
        try await reader.close()
    }

    @Test func `who knows no books refuses to repair or export them, and repairs what holds none`() async throws {
        _ = try await makeBooks()
        for isCompacted in [true, false] {
            let refused = await libraryError {
                try await RecordLibrary.repair(at: path, to: "Saved.bookdb", fileSystem: fileSystem)
            }
            #expect(refused?.sentence.contains("keeps more than records") == true, "\(refused?.sentence ?? "nothing")")
            #expect(fileSystem.kind(of: "Saved.bookdb") == .absent)
            let plain = try records(.readOnly)
            #expect(throws: LibraryError.self) { try plain.snapshot.export { _ in } }
            guard isCompacted else { break }
            // Books that are in the log alone.
            let store = try books()
            try await store.add("Persuasion")
            try await store.close()
        }
        let ledger = try RecordLibrary(at: "Ledger.bookdb", fileSystem: fileSystem)
        let note = try await ledger.insert(Note(text: "first"))
        try await ledger.close()
        // A tool that knows books opened it once: their trees are there, and empty.
        try await BookStore(at: "Ledger.bookdb", fileSystem: fileSystem).compact()
        _ = try await RecordLibrary.repair(at: "Ledger.bookdb", to: "Saved.bookdb", fileSystem: fileSystem)
        let saved = try RecordLibrary(at: "Saved.bookdb", fileSystem: fileSystem)
        #expect(try saved.snapshot.records(Note.self)[note]?.text == "first")
        var lines = 0
        try saved.snapshot.export { _ in lines += 1 }
        // The kind and its record.
        #expect(lines == 2)
        try await saved.close()
    }

    @Test func `who knows no books takes none, and makes no list of them anew`() async throws {
        _ = try await makeBooks()
        let plain = try records()
        let before = plain.snapshot.commitNumber
        for error in [
            await libraryError { try await plain.write { try $0.insert(Work("Sanditon")) } },
            await libraryError { try await plain.write { _ = try $0.renameTag("a", to: "b") } },
            await libraryError { try await plain.load { try $0.insert(Author("Jane Austen")) } },
        ] {
            #expect(error?.sentence.contains("open it as a BookStore") == true, "\(error?.sentence ?? "nothing")")
        }
        await #expect(throws: LibraryError.self) { try await plain.reindex(only: .title) }
        #expect(plain.snapshot.commitNumber == before)
        try await plain.close()
        let store = try books()
        #expect(store.snapshot.works.list().titles == ["Årstider", "Emma"])
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a link is the same to who knows its target and to who does not`() async throws {
        let (emma, _) = try await makeBooks()
        let plain = try records()
        let declared = try #require(try plain.snapshot.version.storedLinks().first)
        try await plain.insert(Loan(work: emma, borrower: "Bea"))
        try await plain.load(Loan.self) { library in _ = try library.insert(Loan(work: emma, borrower: "Cem")) }
        #expect(try plain.snapshot.version.storedLinks() == [declared])
        try await plain.close()
        let store = try books()
        #expect(try store.snapshot.list(Loan.self, linkedBy: \.work, to: emma).count == 3)
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a verification by who knows no books finds nothing wrong in lists by other rules, and reads them`()
        async throws
    {
        _ = try await makeBooks()
        let plain = try records()
        try await plain.setFiling(.danish)
        try await plain.close()
        #expect(try BookStore.verify(at: path, fileSystem: fileSystem).isSound)
        #expect(try RecordLibrary.verify(at: path, fileSystem: fileSystem).isSound)
    }

    @Test func `the dump of an identifier finds a record of a declared kind`() async throws {
        let (_, loan) = try await makeBooks()
        var lines: [String] = []
        let outcome = try BookStore.dump(.record(loan.rawValue), of: path, fileSystem: fileSystem) { lines.append($0) }
        #expect(outcome == .shown(misfits: 0))
        #expect(lines.first?.contains("record of Loan \(loan)") == true, "\(lines)")
    }
}

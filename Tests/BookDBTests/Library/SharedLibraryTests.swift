import LibrarySupport
import StorageEngine
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

    private func books(_ access: BookStore.Access = .readWrite) throws -> BookStore {
        try BookStore(at: path, access: access, fileSystem: fileSystem, device: 7)
    }

    private func records(_ access: RecordLibrary.Access = .readWrite) throws -> RecordLibrary {
        try RecordLibrary(at: path, access: access, fileSystem: fileSystem, device: 7)
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
        #expect(await plain.verify().isSound)
        try await plain.close()
        let store = try books()
        #expect(store.snapshot.works.sorted().titles == ["Årstider", "Emma"])
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
        #expect(try reader.snapshot.works.count == 0 && reader.snapshot.works.sorted().isEmpty)
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
        #expect(store.snapshot.works.sorted().titles == ["Emma", "Årstider"])
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a repair by who knows no books keeps them, and their lists are made anew by who does`() async throws {
        let (emma, loan) = try await makeBooks()
        _ = try await RecordLibrary.repair(at: path, to: "Saved.bookdb", fileSystem: fileSystem)
        let store = try BookStore(at: "Saved.bookdb", fileSystem: fileSystem)
        try await store.write { _ in }
        #expect(try store.snapshot.works[emma]?.title == "Emma")
        #expect(store.snapshot.works.sorted().titles == ["Årstider", "Emma"])
        #expect(try store.snapshot.records(Loan.self)[loan]?.borrower == "Ann")
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `the dump of an identifier finds a record of a declared kind`() async throws {
        let (_, loan) = try await makeBooks()
        var lines: [String] = []
        let outcome = try BookStore.dump(.record(loan.rawValue), of: path, fileSystem: fileSystem) { lines.append($0) }
        #expect(outcome == .shown(misfits: 0))
        #expect(lines.first?.contains("record of Loan \(loan)") == true, "\(lines)")
    }
}

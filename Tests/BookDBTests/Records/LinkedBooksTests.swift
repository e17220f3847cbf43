import LibrarySupport
import Observation
import StorageEngine
import Synchronization
import Testing

@testable import BookDB
@testable import RecordStore

/// Records of an app beside books, and links to them.
struct LinkedBooksTests {
    /// A book that is lent.
    private struct Loan: Record, Equatable {
        var id: ID<Loan> = .unassigned
        var work: Reference<Work> = .unassigned
        var borrower = ""
        enum CodingKeys: Int, CodingKey { case id, work, borrower }
        static let indexes = [Index(\.work)]
    }

    private struct Account: Record {
        var id: ID<Account> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
        static let uniqueKeys = [Unique(\.name)]
        static let schema = Schema { Order("by name", \.name) }
    }

    private struct Lending: Record, Equatable {
        var id: ID<Lending> = .unassigned
        var work: Reference<Work> = .unassigned
        var edition: Reference<Edition>?
        var writer: Reference<Author>?
        var borrower = ""
        enum CodingKeys: Int, CodingKey { case id, work, edition, writer, borrower }
        static let schema = Schema {
            Link(\.work, onDelete: .cascade)
            Link(\.edition, onDelete: .nullify)
            Link(\.writer, onDelete: .deny)
        }
    }

    @Test func `records link to works, editions and authors`() async throws {
        let store = try BookStore.inMemory()
        try await store.write(.memory) { library in
            let writer = try library.insert(Author("Tove Jansson"))
            let work = try library.insert(Work("Sommarboken"))
            let edition = try library.insert(Edition(of: work))
            let other = try library.insert(Work("Pappan och havet"))
            let lending = try library.insert(Lending(work: work, edition: edition, writer: writer))
            let second = try library.insert(Lending(work: other, edition: edition))
            #expect(throws: LibraryError.self) { try library.insert(Lending(work: ID(device: 1, counter: 99))) }
            let error = #expect(throws: LibraryError.self) { try library.delete(writer) }
            #expect(
                error?.sentence.contains("author \(writer) cannot be deleted while it is the writer of Lending")
                    ?? false)
            #expect(try library.list(Lending.self, linkedBy: \.work, to: work).page(limit: 9).map(\.id) == [lending])
            try library.delete(work)
            #expect(try library.record(lending) == nil)
            #expect(try library.record(second)?.edition == nil)
            try library.delete(writer)
            #expect(try library.list(Lending.self, linkedBy: \.edition, to: nil).count == 1)
        }
        expectSound(store.snapshot)
        try await store.close()
    }

    /// What tells of an edition by its identifier has to be there before links are looked at.
    @Test func `a repair of a sound library leaves links to books as whole as they were`() async throws {
        let library = try await DamageableLibrary.make(works: 6)
        let store = try library.open()
        let work = try #require(store.snapshot.works.list().first?.id)
        try await store.write { library in
            let edition = try #require(try library.editions(of: work).first?.id)
            let writer = try #require(try library.work(work)?.authors.first)
            _ = try library.insert(Lending(work: work, edition: edition, writer: writer))
        }
        let links = try store.snapshot.version.storedLinks()
        #expect(links.count == 3 && links.allSatisfy(\.isWhole))
        try await store.close()
        let (saved, report) = try await library.repaired()
        #expect(report.items.isEmpty)
        #expect(try saved.snapshot.version.storedLinks() == links)
        expectSound(saved.snapshot)
    }

    /// Nothing is left that names the work, so it cannot be made again.
    @Test func `a repair loosens the links to books that are lost, and keeps the records that name them`() async throws
    {
        let library = try await DamageableLibrary.make(works: 6)
        let store = try library.open()
        let (lost, kept) = (store.snapshot.works.list()[1].id, store.snapshot.works.list()[2].id)
        let lending = try await store.write { library in
            let edition = try #require(try library.editions(of: kept).first?.id)
            return try library.insert(Lending(work: lost, edition: edition, borrower: "Moomin"))
        }
        try await store.write { library in
            let work = try #require(try library.work(lost))
            let authors = try work.authors.map { try #require(try library.author($0)) }
            let listed = ListedWork(
                work, authors: authors, entry: try library.entry(of: lost), filing: library.filing)
            try library.remove(.work(lost))
            for key in listed.keys.all { try library.remove(listed.keys.bytes(of: key), in: key.index.tree) }
        }
        try await store.close()
        let (saved, report) = try await library.repaired()
        #expect(report.items.contains { $0.kind == .work && $0.id == "\(lost)" && !$0.isMadeAnew })
        #expect(try saved.snapshot.version.recordBytes(lending.rawValue, ofKind: "Lending") != nil)
        let links = try saved.snapshot.version.storedLinks()
        let loose = links.filter { !$0.isWhole }
        #expect(loose.count == 1 && loose[0].target == .builtIn(.works))
        expectSound(saved.snapshot)
    }

    @Test func `records link to books of their load, subscribers hear of them, and a load that throws adds nothing`()
        async throws
    {
        try await withLibrary { store in
            struct Stop: Error {}
            var commits = store.commits.makeAsyncIterator()
            await #expect(throws: Stop.self) {
                try await store.load(Loan.self) { library in
                    let work = try library.insert(Work(title: "Emma"))
                    try library.insert(Loan(work: work, borrower: "Jane"))
                    throw Stop()
                }
            }
            #expect(try store.snapshot.records(Loan.self).all.isEmpty)
            let (work, loan) = try await store.load(Loan.self) { library in
                let work = try library.insert(Work(title: "Persuasion"))
                return (work, try library.insert(Loan(work: work, borrower: "Anne")))
            }
            #expect(try store.snapshot.records(Loan.self).where(\.work, equals: work).map(\.id) == [loan])
            var heard: Set<ID<Loan>> = []
            while heard.isEmpty, let commit = await commits.next() { heard = commit.records(Loan.self).inserted }
            #expect(heard == [loan])
            expectSound(store.snapshot)
        }
    }

    /// Names records of every kind that a library has.
    private struct Mention: Record {
        var id: ID<Mention> = .unassigned
        var edition: Reference<Edition>?
        var author: Reference<Author>?
        var mention: Reference<Mention>?
        enum CodingKeys: Int, CodingKey { case id, edition, author, mention }
        static let schema = Schema {
            Link(\.edition, onDelete: .cascade)
            Link(\.author, onDelete: .nullify)
            Link(\.mention, onDelete: .deny)
        }
    }

    @Test func `records link to editions, authors and records of their load, and to none that it refused`() async throws
    {
        try await withLibrary { store in
            let unreadable = StoredOrder.key(Array("Zed".utf8), "x", identity: 0)
            try await store.load(Mention.self, Account.self) { library in
                let author = try library.insert(Author("Jane Austen"))
                let edition = try library.insert(Edition(of: library.insert(Work("Emma", by: author))))
                let first = try library.insert(Mention(edition: edition, author: author))
                try library.insert(Mention(mention: first))
                // What the next record would have had for an identifier, were it not refused.
                try library.insert(Account(name: "A"))
                let next = Reference<Mention>(device: first.device, counter: first.counter + 3)
                #expect(throws: LibraryError.self) { try library.insert(Account(name: "A")) }
                #expect(throws: LibraryError.self) { try library.insert(Mention(mention: next)) }
            }
            #expect(try store.snapshot.records(Mention.self).all.count == 2)
            #expect(try store.snapshot.records(Mention.self).brokenLinks().isEmpty)
            // An order of another kind that nobody can read is no reason to refuse these.
            try await store.transact { (library) throws(LibraryError) in
                try library.put([UInt8](repeating: 7, count: 20), forKey: unreadable, in: LibraryTree.appOrders)
            }
            try await store.load { library in try library.insert(Account(name: "B")) }
            #expect(try store.snapshot.records(Account.self).all.map(\.name) == ["A", "B"])
            try await store.transact { (library) throws(LibraryError) in
                try library.remove(unreadable, in: LibraryTree.appOrders)
            }
        }
    }

    @MainActor @Test func `lists of works and lists of records come to the same commit`() async throws {
        try await withLibrary { store in
            let accounts = try LiveRecords(store, Account.self, "by name")
            let works = WorkList(store)
            let seen = Mutex<[(UInt64, Int)]>([])
            withObservationTracking {
                _ = works.items
            } onChange: {
                MainActor.assumeIsolated {
                    seen.withLock { $0.append((accounts.snapshot.commitNumber, accounts.count)) }
                }
            }
            try await store.write { library in
                try library.insert(Account(name: "A"))
                _ = try library.insert(Work(title: "Emma"))
            }
            await accounts.shows(store.snapshot.commitNumber)
            #expect(accounts.count == 1 && works.items.count == 1)
            #expect(seen.withLock { $0.map(\.0) } == [store.snapshot.commitNumber])
        }
    }
}

import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// Records that are changed many at a time, and records that become another kind's.
@Suite struct MigrationTests {
    private struct Loan: Record, Equatable {
        var id: ID<Loan> = .unassigned
        var borrower: Reference<Person> = .unassigned
        var seconds: Int?
        var day: Day?
        enum CodingKeys: Int, CodingKey { case id = 0, borrower = 1, seconds = 2, day = 3 }
        static let schema = Schema {
            Link(\.borrower, onDelete: .cascade)
            Order("by name", .linked(\.borrower, .ascending(\.name)))
        }
    }

    /// The same with the link that the next version of the app declares.
    private struct NextLoan: Record {
        var id: ID<NextLoan> = .unassigned
        var borrower: Reference<Contact> = .unassigned
        enum CodingKeys: Int, CodingKey { case id = 0, borrower = 1 }
        static let recordName = "Loan"
        static let schema = Schema {
            Link(\.borrower, onDelete: .cascade)
            Order("by name", .linked(\.borrower, .ascending(\.name)))
        }
    }

    private struct Person: Record {
        var id: ID<Person> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1 }
        static let uniqueKeys = [Unique(\.name)]
    }

    private struct Contact: Record {
        var id: ID<Contact> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1 }
        static let uniqueKeys = [Unique(\.name)]
    }

    private struct Failure: Error {}

    private func convert(_ loan: Loan, _ library: inout LibraryTransaction) throws {
        var loan = loan
        loan.day = loan.seconds.map { Day(daysSince1970: Int32($0 / 86_400)) }
        loan.seconds = nil
        try library.update(loan)
    }

    @Test func `a conversion goes on where it broke off, and sees what others have written meanwhile`() async throws {
        try await withLibrary { store in
            let person = try await store.insert(Person(name: "Ann"))
            let ids = try await store.write { library in
                try (0..<1_000).map { try library.insert(Loan(borrower: person, seconds: $0 * 86_400)) }
            }
            let list = try store.snapshot.records(Loan.self).where(\.seconds != nil)
            await #expect(throws: Failure.self) {
                try await store.migrate(list) { loan, library in
                    if loan.id == ids[600] { throw Failure() }
                    try convert(loan, &library)
                }
            }
            let left = try store.snapshot.records(Loan.self).where(\.seconds != nil)
            #expect(left.count < 1_000 && left.count >= 400, "\(left.count)")
            // Deleted and changed since the list was asked for.
            try await store.delete(ids[700])
            try await store.update(ids[800]) { $0.seconds = 5 * 86_400 }
            let progress = Lock<[Double]>([])
            let seenCount = try await store.migrate(left, progress: { share in progress.withLock { $0.append(share) } })
            {
                try convert($0, &$1)
            }
            #expect(seenCount == left.count - 1)
            let shares = progress.withLock { $0 }
            #expect(shares.last == 1 && shares == shares.sorted() && shares.count > 1)
            #expect(try store.snapshot.records(Loan.self).where(\.seconds != nil).isEmpty)
            let loans = store.snapshot.records(Loan.self)
            #expect(
                try loans[ids[800]]?.day == Day(daysSince1970: 5) && loans[ids[999]]?.day == Day(daysSince1970: 999))
            #expect(try await store.migrate(loans.where(\.seconds != nil)) { _, _ in throw Failure() } == 0)
            expectSound(store.snapshot)
        }
    }

    @Test func `a record that becomes another kind's keeps its identifier, and links to it do nothing`() async throws {
        try await withLibrary { store in
            let (ann, bob) = (try await store.insert(Person(name: "Ann")), try await store.insert(Person(name: "Bob")))
            let loan = try await store.insert(Loan(borrower: ann))
            try await store.insert(Loan(borrower: bob))
            let contact = try await store.write { try $0.replace(bob, with: Contact(name: "Robert")) }
            #expect(contact.rawValue == bob.rawValue)
            expectSound(store.snapshot)
            #expect(try store.snapshot.records(Loan.self).count == 2, "nothing was deleted")
            #expect(try store.snapshot.records(Person.self)[bob] == nil)
            #expect(try store.snapshot.records(Contact.self)[contact]?.name == "Robert")
            // The link of the next version leads there, and by its order the loans stand by these names.
            try await store.migrate(store.snapshot.records(Person.self).all) { person, library in
                try library.replace(person.id, with: Contact(name: person.name))
            }
            try await store.insert(NextLoan(borrower: contact))
            expectSound(store.snapshot)
            let list = try store.snapshot.list(NextLoan.self, "by name")
            #expect(list.map(\.id.rawValue).first == loan.rawValue)
            try await store.update(contact) { $0.name = "Aaron" }
            #expect(try store.snapshot.list(NextLoan.self, "by name").map(\.id.rawValue).last == loan.rawValue)
            try await store.delete(contact)
            #expect(try store.snapshot.records(NextLoan.self).count == 1)
            expectSound(store.snapshot)
        }
    }

    @Test @MainActor func `a live list by what a record names follows one that comes back under its identifier`()
        async throws
    {
        let store = try RecordLibrary.inMemory(device: 0xB00C)
        let (ann, bob) = (try await store.insert(Person(name: "Zoe")), try await store.insert(Person(name: "Bob")))
        let first = ID<NextLoan>(rawValue: try await store.insert(Loan(borrower: ann)).rawValue)
        let second = ID<NextLoan>(rawValue: try await store.insert(Loan(borrower: bob)).rawValue)
        try await store.makeOrders(of: NextLoan.self)
        let (all, chosen) = (
            try LiveRecords(store, NextLoan.self, "by name"), try LiveRecords(store, NextLoan.self, "by name")
        )
        chosen.predicate = { try $0.record.id == first }
        for list in [all, chosen] { await list.shows(store.snapshot.commitNumber) }
        let before = all.rows.map(\.id)
        try await store.write { library in _ = try library.replace(bob, with: Contact(name: "Bob")) }
        for list in [all, chosen] { await list.shows(store.snapshot.commitNumber) }
        #expect(before == [first, second] && all.rows.map(\.id) == [second, first])
        #expect(chosen.rows.map(\.id) == [first])
        try await store.close()
    }

    @Test func `what cannot be replaced is refused, and nothing is changed`() async throws {
        try await withLibrary { store in
            let (ann, bob) = (try await store.insert(Person(name: "Ann")), try await store.insert(Person(name: "Bob")))
            try await store.insert(Contact(name: "Ann"))
            try await store.write { library in
                func refusal(_ body: (inout LibraryTransaction) throws -> Void) -> LibraryError? {
                    #expect(throws: LibraryError.self) { try body(&library) }
                }
                let same = refusal { try $0.replace(bob, with: Person(name: "Carl")) }
                #expect(same?.sentence.contains("update it") == true, "\(String(describing: same))")
                let taken = refusal { try $0.replace(ann, with: Contact(name: "Ann")) }
                #expect(taken?.sentence.contains("has this name already") == true, "\(String(describing: taken))")
                let nobody = refusal { try $0.replace(ID<Person>(device: 7, counter: 99), with: Contact(name: "x")) }
                #expect(nobody?.sentence.contains("no Person") == true, "\(String(describing: nobody))")
                try library.replace(bob, with: Contact(name: "Bob"))
                let again = refusal { try $0.replace(bob, with: Contact(name: "Bo")) }
                #expect(again?.sentence.contains("no Person") == true, "\(String(describing: again))")
                let person = try library.insert(Person(name: "Dora"))
                let known = refusal {
                    try $0.replace(person, with: Contact(id: ID(rawValue: bob.rawValue), name: "D"))
                }
                #expect(known?.sentence.contains("has an identifier already") == true, "\(String(describing: known))")
            }
            #expect(try store.snapshot.records(Person.self).all.map(\.name) == ["Ann", "Dora"])
            #expect(try store.snapshot.records(Contact.self).all.map(\.name).sorted() == ["Ann", "Bob"])
            expectSound(store.snapshot)
        }
    }

    private struct Plain: Record {
        var id: ID<Plain> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1 }
    }

    private struct Wide: Record {
        var id: ID<Wide> = .unassigned
        var name = ""
        var count = 7
        enum CodingKeys: Int, CodingKey { case id = 0, name = 1, count = 2 }
        static let recordName = "Plain"
        static let schema = Schema { Order("by count", \.count).sum(\.count) }
    }

    @Test func `a field that a version reads as its default, and leaves so, stays as it is stored`() async throws {
        try await withLibrary { store in
            let id = ID<Wide>(rawValue: try await store.insert(Plain(name: "a")).rawValue)
            try await store.update(id) { $0.name = "b" }
            func fields() throws -> [UInt32] {
                let bytes = try #require(
                    try store.snapshot.version.recordBytes(id.rawValue, in: RecordKind<Wide>.current.tree))
                return try RecordMerge.fields(of: bytes).keys.sorted()
            }
            #expect(try fields() == [FieldNumber.tag(1)])
            #expect(try store.snapshot.records(Wide.self)[id]?.count == 7)
            #expect(try store.snapshot.list(Wide.self, "by count").sum(\.count) == 7)
            try await store.update(id) { $0.count = 8 }
            #expect(try fields() == [FieldNumber.tag(1), FieldNumber.tag(2)])
            #expect(try store.snapshot.list(Wide.self, "by count").sum(\.count) == 8)
            expectSound(store.snapshot)
        }
    }
}

import LibrarySupport
import StorageEngine
import Testing

@testable import RecordStore

/// Many records deleted in one pass.
struct DeletionsTogetherTests {
    private struct Folder: Record, Equatable {
        var id: ID<Folder> = .unassigned
        var parent: Reference<Folder>?
        enum CodingKeys: Int, CodingKey { case id, parent }
        static let schema = Schema { Link(\.parent, onDelete: .deny) }
    }

    @Test func `records that deny each other's deletion go together`() async throws {
        try await withLibrary { store in
            let top = try await store.insert(Folder())
            let inner = try await store.insert(Folder(parent: top))
            let innermost = try await store.insert(Folder(parent: inner))
            let alone = try await store.insert(Folder())
            for some in [[top], [top, inner], [alone, top]] {
                let error = await libraryError { try await store.delete(some) }
                guard case .referenced = error else { Issue.record("\(some): \(String(describing: error))"); continue }
            }
            #expect(try store.snapshot.records(Folder.self).count == 4)
            #expect(try await store.delete([top, inner, innermost]) == 3)
            #expect(try store.snapshot.records(Folder.self).all.map(\.id) == [alone])
        }
    }

    private struct Person: Record, Equatable {
        var id: ID<Person> = .unassigned
        var friends: [Reference<Person>] = []
        enum CodingKeys: Int, CodingKey { case id, friends }
        static let schema = Schema { Link(\.friends, onDelete: .deny) }
    }

    /// Those who go deny each other more often than there are records.
    @Test func `one who stays denies it, however many of those who go do`() async throws {
        try await withLibrary { store in
            let people = try await store.write { library in
                var people: [ID<Person>] = []
                for _ in 0..<60 { people.append(try library.insert(Person())) }
                for id in people { try library.update(Person(id: id, friends: people)) }
                return people
            }
            let last = try await store.insert(Person(friends: [people[59]]))
            try await store.write { library in
                let start = people.map { LinkedRecord(target: .records("Person"), id: $0.rawValue) }
                let error = #expect(throws: LibraryError.self) { try library.cascade(from: start, maximumCount: 10) }
                guard case .referenced? = error else { Issue.record("\(String(describing: error))"); return }
            }
            #expect(await libraryError { try await store.delete(people) } != nil)
            #expect(try await store.delete(people + [last]) == 61)
        }
    }

    private struct Node: Record, Equatable {
        var id: ID<Node> = .unassigned
        var next: Reference<Node>?
        enum CodingKeys: Int, CodingKey { case id, next }
        static let schema = Schema { Link(\.next, onDelete: .cascade) }
    }

    @Test(arguments: [false, true])
    func `a chain of records goes to its end, with the order of its link and before it is made`(hasOrder: Bool)
        async throws
    {
        try await withLibrary { store in
            let (first, others) = try await store.write { library in
                let first = try library.insert(Node())
                var last = first
                for _ in 0..<300 { last = try library.insert(Node(next: last)) }
                return (first, try library.insert(Node()))
            }
            if !hasOrder {
                try await store.write { library in
                    for order in try library.orders(ofKind: "Node") {
                        try library.drop(order, of: Array("Node".utf8))
                        library.knownOrders["Node"] = []
                    }
                    let start = [LinkedRecord(target: .records("Node"), id: first.rawValue)]
                    #expect(try library.trees.storedLinks(to: .records("Node")).count == 1)
                    #expect(try library.cascade(from: start).deletions.count == 300)
                }
            }
            #expect(try await store.delete([first]) == 1)
            #expect(try store.snapshot.records(Node.self).all.map(\.id) == [others])
        }
    }

    @Test func `an identifier that comes twice counts once, and one of no record does not`() async throws {
        try await withLibrary { store in
            let (first, second) = try await (store.insert(Folder()), store.insert(Folder()))
            let commit = store.snapshot.commitNumber
            #expect(try await store.delete([] as [ID<Folder>]) == 0)
            #expect(try await store.delete([.unassigned, ID(device: 7, counter: 9)] as [ID<Folder>]) == 0)
            #expect(store.snapshot.commitNumber == commit)
            #expect(try await store.delete([second, first, second, ID(device: 7, counter: 9)]) == 2)
            #expect(try store.snapshot.records(Folder.self).count == 0)
            #expect(try await store.delete([first, second]) == 0)
        }
    }

    private struct Song: Record, Equatable {
        var id: ID<Song> = .unassigned
        var title = ""
        enum CodingKeys: Int, CodingKey { case id, title }
    }

    private struct Playlist: Record, Equatable {
        var id: ID<Playlist> = .unassigned
        var songs: [Reference<Song>] = []
        enum CodingKeys: Int, CodingKey { case id, songs }
        static let schema = Schema {
            Link(\.songs, onDelete: .nullify)
            Order("by song", .each(\.songs))
        }
    }

    /// One by one, each would write it again with all that are left.
    @Test func `a list that names all that go is written once`() async throws {
        try await withLibrary { store in
            let count = 400
            let (songs, playlist) = try await store.write { library in
                var songs: [ID<Song>] = []
                for number in 0..<count { songs.append(try library.insert(Song(title: "\(number)"))) }
                return (songs, try library.insert(Playlist(songs: songs)))
            }
            let before = store.database.status.logByteCount
            #expect(try await store.delete(songs.dropLast()) == count - 1)
            #expect(store.database.status.logByteCount - before < 60 * count)
            #expect(try store.snapshot.records(Playlist.self)[playlist]?.songs == [songs[count - 1]])
            #expect(try store.snapshot.list(Playlist.self, "by song").count == 1)
            #expect(try await store.verify().isSound)
        }
    }

    /// Names two others, in the statement by the label of each.
    private struct Note: Record, Equatable {
        var id: ID<Note> = .unassigned
        var label: String?
        var from: Reference<Note>?
        var to: Reference<Note>?
        var sent: Money = 0
        var sentIn = "EUR"
        var received: Money = 0
        var receivedIn = "EUR"
        enum CodingKeys: Int, CodingKey { case id, label, from, to, sent, sentIn, received, receivedIn }
        static let schema = Schema {
            Link(\.from, onDelete: .cascade)
            Link(\.to, onDelete: .cascade)
            Order("statement") {
                Stand(.linked(\.from, .ascending(\.label))).sum(\.sent, in: \.sentIn)
                Stand(.linked(\.to, .ascending(\.label))).sum(\.received, in: \.receivedIn)
            }
        }
    }

    /// Two notes, and a third that names both and is named by them.
    private static func insertRing(_ library: inout LibraryTransaction) throws -> [ID<Note>] {
        let first = try library.insert(Note())
        let second = try library.insert(Note(label: "y"))
        let both = try library.insert(Note(from: first, to: second, sent: 1, received: 1, receivedIn: "USD"))
        for (id, label) in [(first, nil), (second, "y")] {
            try library.update(Note(id: id, label: label, from: both))
        }
        return [first, second, both]
    }

    /// One that goes stood in two places. With one of those gone that it names they would be one, with amounts in two currencies.
    @Test func `what goes in a ring is asked by no order for what it would be without the others`() async throws {
        try await withLibrary(undo: .on) { store in
            let ids = try await store.write { library in try Self.insertRing(&library) }
            for id in ids {
                let deleted: Int = try await store.write { library in
                    try library.delete(id)
                    return try library.records(Note.self).count
                }
                #expect(deleted == 0)
                #expect(try store.snapshot.list(Note.self, "statement").count == 0)
                try await store.undo()
                #expect(try store.snapshot.records(Note.self).count == 3)
                #expect(try store.snapshot.list(Note.self, "statement").count > 0)
            }
            #expect(try await store.delete(ids) == 3)
            try await store.undo()
            for order in [[2, 1, 0], [1, 0, 2], [1, 2, 0], [0, 2, 1], [2, 0, 1]] {
                #expect(try await store.delete(order.map { ids[$0] }) == 3)
                #expect(try store.snapshot.list(Note.self, "statement").count == 0)
                try await store.undo()
                #expect(try store.snapshot.list(Note.self, "statement").count > 0)
                expectSound(store.snapshot)
            }
            #expect(try await store.verify().isSound)
        }
    }

    private struct Owner: Record, Equatable {
        var id: ID<Owner> = .unassigned
        enum CodingKeys: Int, CodingKey { case id }
    }

    private struct Purse: Record, Equatable {
        var id: ID<Purse> = .unassigned
        var owner: Reference<Owner>?
        enum CodingKeys: Int, CodingKey { case id, owner }
        static let schema = Schema { Link(\.owner, onDelete: .nullify) }
    }

    /// Goes with whoever paid, and stands by the owner of the purse.
    private struct Payment: Record, Equatable {
        var id: ID<Payment> = .unassigned
        var payer: Reference<Owner>?
        var purse: Reference<Purse>?
        enum CodingKeys: Int, CodingKey { case id, payer, purse }
        static let schema = Schema {
            Link(\.payer, onDelete: .cascade)
            Link(\.purse, onDelete: .nullify)
            Order("by owner", .linked(\.purse, .ascending(\.owner)))
        }
    }

    /// A purse with four payments, of which its owner made three.
    private static func insertPayments(
        _ library: inout LibraryTransaction
    ) throws -> (owner: ID<Owner>, purse: ID<Purse>, kept: ID<Payment>) {
        let owner = try library.insert(Owner())
        let purse = try library.insert(Purse(owner: owner))
        for _ in 0..<3 { try library.insert(Payment(payer: owner, purse: purse)) }
        return (owner, purse, try library.insert(Payment(purse: purse)))
    }

    @Test func `what goes is not moved for a record that loses something and stays`() async throws {
        try await withLibrary { store in
            let (owner, purse, kept) = try await store.write { library in try Self.insertPayments(&library) }
            #expect(try store.snapshot.list(Payment.self, "by owner", of: owner).count == 4)
            #expect(try await store.delete([owner]) == 1)
            #expect(try store.snapshot.list(Payment.self, "by owner").map(\.id) == [kept])
            #expect(try store.snapshot.list(Payment.self, "by owner", of: nil as Reference<Owner>?).count == 1)
            #expect(try store.snapshot.records(Purse.self)[purse]?.owner == nil)
            #expect(try await store.verify().isSound)
        }
    }

    /// Without an order that has those together who name one record, all of a kind are looked through: also what has left its orders by then.
    @Test func `what goes is not moved where its link has no order yet`() async throws {
        try await withLibrary { store in
            let (owner, purse, kept) = try await store.write { library in try Self.insertPayments(&library) }
            try await store.write { library in
                let link = try #require(try library.trees.storedLinks(to: .records("Purse")).first)
                for order in try library.orders(ofKind: "Payment") where order.declaration.begins(with: link.field) {
                    try library.drop(order, of: Array("Payment".utf8))
                    library.knownOrders["Payment"]?.removeAll { $0.tree == order.tree }
                }
                #expect(try library.trees.wholeOrder(by: link) == nil)
                #expect(try library.delete([owner]) == 1)
            }
            #expect(try store.snapshot.list(Payment.self, "by owner").map(\.id) == [kept])
            #expect(try store.snapshot.records(Purse.self)[purse]?.owner == nil)
        }
    }

    /// The one that names another is met first, and would be listed by what that is until then.
    @Test func `what is named is taken back before what names it`() async throws {
        try await withLibrary(undo: .on) { store in
            let ids = try await store.write { library in
                let both = try library.insert(Note())
                let (first, second) = (try library.insert(Note()), try library.insert(Note(label: "y")))
                try library.update(
                    Note(id: both, from: first, to: second, sent: 1, received: 1, receivedIn: "USD"))
                return (both: both, first: first, second: second)
            }
            try await store.write { library in
                try library.update(Note(id: ids.both, from: ids.first, to: ids.second, sent: 1, received: 1))
                try library.update(Note(id: ids.second))
            }
            try await store.undo()
            #expect(try store.snapshot.records(Note.self)[ids.both]?.receivedIn == "USD")
            #expect(try store.snapshot.records(Note.self)[ids.second]?.label == "y")
            expectSound(store.snapshot)
        }
    }

    @Test func `what is inserted in a ring is taken back as one`() async throws {
        try await withLibrary(undo: .on) { store in
            try await store.write { library in _ = try Self.insertRing(&library) }
            try await store.undo()
            #expect(try store.snapshot.records(Note.self).count == 0)
            #expect(try store.snapshot.list(Note.self, "statement").count == 0)
            #expect(try await store.verify().isSound)
        }
    }

    @Test func `more than may go with them are refused by the names of all`() async throws {
        try await withLibrary { store in
            try await store.write { library in
                var notes: [LinkedRecord] = []
                for _ in 0..<2 {
                    let note = try library.insert(Note())
                    notes.append(LinkedRecord(target: .records("Note"), id: note.rawValue))
                    for _ in 0..<3 { try library.insert(Note(from: note)) }
                }
                #expect(try library.cascade(from: notes + notes, maximumCount: 6).deletions.count == 6)
                let error = #expect(throws: LibraryError.self) { try library.cascade(from: notes, maximumCount: 5) }
                #expect(error?.sentence.contains(" and 1 more would delete or change more than 5 other") == true)
            }
        }
    }
}

import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// What a repair does for kinds whose types it has not got, and what a reindex leaves to it.
@Suite struct DeclaredRepairTests {
    private struct Owner: Record {
        var id: ID<Owner> = .unassigned
        var name = ""
        var remark = ""
        enum CodingKeys: Int, CodingKey { case id, name, remark }
        static let uniqueKeys = [Unique(\.name)]
    }

    private struct Payment: Record {
        var id: ID<Payment> = .unassigned
        var owner: Reference<Owner> = .unassigned
        var day = Day(daysSince1970: 0)
        var amount: Money = 0
        var tag: String?
        var note = ""
        enum CodingKeys: Int, CodingKey { case id, owner, day, amount, tag, note }
        var length: Int { note.count }
        static let indexes = [Index(\.length, name: "length", version: 1)]
        static let schema = Schema {
            Link(\.owner, onDelete: .deny)
            Order("by owner", \.owner, .descending(\.day)).sum(\.amount)
            Order("by tag", \.tag)
        }
    }

    private static let paymentCount = 300

    /// Two owners, whose remarks and notes stand in no order.
    private static func library() async throws -> (
        files: DamageableLibrary, owners: [ID<Owner>], payments: [ID<Payment>]
    ) {
        let library = try await DamageableLibrary.make()
        let store = try library.open()
        let owners = try await store.write { library in
            try ["Ann", "Bob"].map { try library.insert(Owner(name: $0, remark: "remark on \($0)")) }
        }
        let payments = try await store.write { library in
            try (0..<paymentCount).map { number in
                try library.insert(
                    Payment(
                        owner: owners[number % 2], day: Day(daysSince1970: Int32(number)), amount: Money(-number),
                        tag: number % 3 == 0 ? "tag \(number)" : nil, note: "note \(1000 + number) of many"))
            }
        }
        try await store.makeOrders(of: Payment.self)
        try await store.compact()
        try await store.close()
        return (library, owners, payments)
    }

    @Test func `what nobody can read of a kind's fields and links takes no record with it`() async throws {
        let (library, _, payments) = try await Self.library()
        let store = try library.open()
        try await store.write { transaction in
            try transaction.put([0xFF], forKey: Array("Owner".utf8), in: LibraryTree.appFields)
            try transaction.put([0xFF], forKey: [0, 1] as [UInt8], in: LibraryTree.appLinks)
        }
        try await store.close()
        let (saved, report) = try await library.repaired()
        #expect(report.kinds["Payment"]?.saved == Self.paymentCount && report.kinds["Owner"]?.saved == 2)
        #expect(try saved.snapshot.records(Payment.self)[payments[0]]?.note == "note 1000 of many")
        #expect(try saved.snapshot.kinds.flatMap(\.links).map(\.field) == ["owner"])
        expectSound(saved.snapshot)
        try await saved.close()
    }

    @Test func `orders and unique keys are whole in the new library, and bind who has no types`() async throws {
        let (library, owners, _) = try await Self.library()
        let (saved, report) = try await library.repaired()
        #expect(report.isComplete)
        let kinds = try saved.snapshot.kinds
        #expect(kinds.map(\.name) == ["Owner", "Payment"])
        let orders = kinds.flatMap(\.orders)
        #expect(orders.filter { !$0.isWhole }.map(\.name) == ["length"], "which code of the app makes")
        let statement = try saved.snapshot.list(Payment.self, "by owner", of: owners[1])
        #expect(statement.count == Self.paymentCount / 2)
        #expect(try statement.sum(\.amount) == Money(-(1..<Self.paymentCount).filter { $0 % 2 == 1 }.reduce(0, +)))
        try await saved.close()
        let store = try RecordLibrary(at: "Saved.bookdb", fileSystem: library.fileSystem, buildsOrders: false)
        let again = try await store.importLines([
            #"{"type":"kind","kind":"Owner","fields":[{"number":1,"name":"name","type":"text"}]}"#,
            #"{"type":"record","kind":"Owner","id":"000009-1","fields":{"name":"Ann"}}"#,
        ])
        #expect(again.refused == 1, "\(again)")
        try await store.makeOrders(of: Payment.self)
        #expect(try store.snapshot.kinds.flatMap(\.orders).allSatisfy(\.isWhole))
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `what is lost is named by the orders, with the fields that they have`() async throws {
        let (library, owners, payments) = try await Self.library()
        // Some were removed since, and one changed: orders say it, and the lost page does not.
        let store = try library.open()
        try await store.delete(payments[100])
        try await store.close()
        try library.flip("note 1101 of many")
        let (saved, report) = try await library.repaired()
        let tally = try #require(report.kinds["Payment"])
        #expect(tally.lost > 10 && tally.unnamed == 0 && !tally.mayLackMore)
        #expect(tally.saved + tally.lost == Self.paymentCount - 1)
        let items = report.lost.filter { $0.kind.rawValue == "Payment" }
        #expect(items.count == tally.lost && !report.isComplete)
        #expect(!items.contains { $0.id == payments[100].description })
        let item = try #require(items.first { $0.id == payments[102].description })
        #expect(
            item.loss == "the record; it had owner \(owners[0]), day 1970-04-13, amount -102.00, tag tag 102",
            "\(item.loss)")
        #expect(
            item.fields == #"{"owner":"\#(owners[0])","day":"1970-04-13","amount":"-102.00","tag":"tag 102"}"#,
            "\(item.fields ?? "")")
        for id in payments {
            let isLost = items.contains { $0.id == id.description }
            #expect(try (saved.snapshot.records(Payment.self)[id] == nil) == (isLost || id == payments[100]))
        }
        // Lost ones keep their identifiers.
        try await saved.close()
        let next = try RecordLibrary(at: "Saved.bookdb", fileSystem: library.fileSystem)
        let id = try await next.insert(Payment(owner: owners[0]))
        #expect(!payments.contains(id) && id.device != payments[0].device)
        try await next.close()
    }

    @Test func `a record whose change is lost, and whose end is not, is gone, and not told as lost`() async throws {
        let (library, _, payments) = try await Self.library()
        let store = try library.open()
        try await store.update(payments[100]) { $0.day = Day(daysSince1970: 5_000) }
        try await store.delete(payments[100])
        try await store.close()
        try library.flip(library.frames[0] + 60, of: library.logPath)
        let (saved, report) = try await library.repaired()
        let tally = try #require(report.kinds["Payment"])
        #expect(tally.saved == Self.paymentCount - 1 && tally.lost == 0)
        #expect(report.lost.isEmpty && !report.isComplete, "\(report.lost)")
        expectSound(saved.snapshot)
        try await saved.close()
    }

    @Test func `a reindex empties no order where a record that it is made from cannot be read`() async throws {
        let (library, owners, _) = try await Self.library()
        try library.flip("note 1101 of many")
        let store = try library.open()
        let commit = store.snapshot.commitNumber
        for tree in [nil, DerivedTree.appOrders] {
            let error = await libraryError { try await store.reindex(only: tree) }
            if case .damaged = error {} else { Issue.record("\(String(describing: error))") }
        }
        #expect(throws: LibraryError.self) { try store.checkRecords(for: [.appOrders]) }
        #expect(store.snapshot.commitNumber == commit)
        #expect(try store.snapshot.list(Payment.self, "by owner", of: owners[1]).count == Self.paymentCount / 2)
        try await store.close()
    }

    @Test func `links to a record that is lost name it, and are not whole any more`() async throws {
        let (library, owners, _) = try await Self.library()
        try library.flip("remark on Bob")
        let (saved, report) = try await library.repaired()
        let items = report.lost.filter { $0.kind.rawValue == "Owner" }
        #expect(items.map(\.id) == owners.map(\.description))
        #expect(items.map(\.loss) == ["Ann", "Bob"].map { "the record, which 150 links name; it had name \($0)" })
        #expect(report.kinds["Payment"]?.saved == Self.paymentCount)
        expectSound(saved.snapshot)
        try await saved.close()
        // Whoever is gone can be put back under the identifier.
        let store = try RecordLibrary(at: "Saved.bookdb", fileSystem: library.fileSystem)
        _ = try await store.importLines([
            #"{"type":"kind","kind":"Owner","fields":[{"number":1,"name":"name","type":"text"}]}"#,
            #"{"type":"record","kind":"Owner","id":"\#(owners[1])","fields":{"name":"Bob"}}"#,
        ])
        #expect(try store.snapshot.records(Owner.self)[owners[1]]?.name == "Bob")
        expectSound(store.snapshot)
        try await store.close()
    }

    @Test func `a library without its head has its orders, too`() async throws {
        let (library, owners, _) = try await Self.library()
        // Both copies of the head.
        let path = try library.snapshotPath
        let count = try library.bytes(of: path).count
        for offset in [100, count - 4096 + 100] { try library.flip(offset, of: path) }
        let (saved, report) = try await library.repaired()
        #expect(report.kinds["Payment"]?.saved == Self.paymentCount)
        #expect(try saved.snapshot.list(Payment.self, "by owner", of: owners[1]).count == Self.paymentCount / 2)
        try await saved.close()
    }
}

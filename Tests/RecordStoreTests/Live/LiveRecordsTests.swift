import LibrarySupport
import Dispatch
import Observation
import Synchronization
import TestSupport
import Testing

@testable import RecordStore

/// Lists of an app's records follow the library by rows, and show what a new list shows.
@MainActor struct LiveRecordsTests {
    private typealias Transfer = LedgerTransfer

    // MARK: Random histories

    /// A list, and what a new one of the same has.
    private struct Pair {
        let name: String
        let list: LiveRecords<LedgerTransfer>
        let anew: @MainActor (Snapshot) throws -> [LedgerTransfer]

        @MainActor var rows: [LedgerTransfer] { list.rows.compactMap(\.record) }
    }

    private static let predicates: [@Sendable (LedgerTransfer) -> Bool] = [
        { $0.amount > 0 }, { $0.note == "Café" && $0.category != nil },
    ]

    /// Every list by itself and under each predicate.
    private static func pairs(_ store: RecordLibrary, _ accounts: [ID<LedgerAccount>]) throws -> [Pair] {
        var pairs: [Pair] = []
        func add(
            _ name: String, _ list: () throws -> LiveRecords<LedgerTransfer>,
            _ anew: @escaping @MainActor (Snapshot) throws -> [LedgerTransfer]
        ) throws {
            pairs.append(Pair(name: name, list: try list(), anew: anew))
            for (number, predicate) in predicates.enumerated() {
                let list = try list()
                list.predicate = { try predicate($0.record) }
                pairs.append(
                    Pair(name: "\(name) under \(number)", list: list) { try anew($0).filter(predicate) })
            }
        }
        try add("by identifier") {
            try LiveRecords(store, Transfer.self)
        } _: {
            Array(try $0.records(Transfer.self).all)
        }
        for order in ["all", "statement", "by category", "by method", "uncategorised first"] {
            try add(order) {
                try LiveRecords(store, Transfer.self, order)
            } _: {
                Array(try $0.list(Transfer.self, order))
            }
        }
        for account in accounts {
            try add("\(account)") {
                try LiveRecords(store, Transfer.self, "statement", of: account)
            } _: {
                Array(try $0.list(Transfer.self, "statement", of: account))
            }
            try add("pending of \(account)") {
                try LiveRecords(store, Transfer.self, "statement", of: account, filter: .facet(\.isPending))
            } _: {
                Array(try $0.list(Transfer.self, "statement", of: account).filtered(by: \.isPending))
            }
        }
        try add("cards") {
            try LiveRecords(store, Transfer.self, "all", filter: .facet(\.method, .card))
        } _: {
            Array(try $0.list(Transfer.self, "all").filtered(by: \.method, .card))
        }
        let day = Day(daysSince1970: 7)
        try add("income of one day") {
            try LiveRecords(store, Transfer.self, "statement", of: accounts[0], day, filter: .facet("income"))
        } _: {
            Array(try $0.list(Transfer.self, "statement", of: accounts[0], day).filtered(by: "income"))
        }
        return pairs
    }

    @Test(arguments: 1...4) func `random changes, made to the rows before, give the rows of a new list`(
        seed: UInt64
    ) async throws {
        try await withLibrary { store in
            let accounts = [
                try await store.insert(LedgerAccount(name: "Cash")),
                try await store.insert(LedgerAccount(name: "Savings")),
            ]
            var history = LedgerHistory(accounts, SeededGenerator.forTest(fallback: seed))
            history = try await history.committed(seed == 1 ? 1 : 60, to: store)
            let pairs = try Self.pairs(store, accounts)
            for pair in pairs { await pair.list.shows(store.snapshot.commitNumber) }
            var expectedCount = 0
            for round in 0..<25 {
                let before = pairs.map { (number: $0.list.changeNumber, rows: $0.rows) }
                // One commit, or some that the lists see as one.
                for _ in 0..<history.number(1...3) {
                    history = try await history.committed(history.number(1...8), to: store)
                }
                for (pair, (number, old)) in zip(pairs, before) {
                    await pair.list.shows(store.snapshot.commitNumber)
                    let comment: Comment = "seed \(seed), round \(round), \(pair.name)"
                    let new = pair.rows
                    #expect(new == (try pair.anew(store.snapshot)), comment)
                    #expect(pair.list.error == nil && pair.list.count == new.count, comment)
                    guard pair.list.changeNumber > number else {
                        #expect(old == new, comment)
                        continue
                    }
                    #expect(!pair.list.change.isReload, comment)
                    // A frame may have ended between the commits: then `change` is from its rows on.
                    if pair.list.changeNumber == number + 1 {
                        pair.list.change.expect(old, new, comment)
                        expectedCount += 1
                    }
                    for transfer in history.transfers.suffix(20) {
                        #expect(
                            pair.list.index(of: transfer.id) == new.firstIndex { $0.id == transfer.id }, comment)
                    }
                }
            }
            #expect(expectedCount > 25)
            let all = try #require(pairs.first { $0.name == "statement" }).list
            #expect(try all.items.sum(\.amount) == history.transfers.reduce(0) { $0 + $1.amount })
        }
    }

    // MARK: Single things

    private func transfers(_ store: RecordLibrary) throws -> LiveRecords<Transfer> {
        try LiveRecords(store, Transfer.self, "statement", of: ID<LedgerAccount>(rawValue: 7))
    }

    private func transfer(_ amount: Int, on day: Int32, _ account: UInt64 = 7) -> Transfer {
        Transfer(account: ID(rawValue: account), date: Day(daysSince1970: day), amount: Money(amount))
    }

    @Test func `a statement made before the first record shows what is written, with its sums`() async throws {
        try await withLibrary { store in
            let list = try transfers(store)
            list.predicate = { try $0.amount > 0 }
            await list.shows(0)
            #expect(list.count == 0 && list.error == nil)
            #expect(try list.items.sum(\.amount) == 0)
            list.predicate = nil
            let first = try await store.insert(transfer(5, on: 1))
            await list.shows(store.snapshot.commitNumber)
            #expect(list.change == ListChange(insertions: [0]))
            let second = try await store.insert(transfer(-2, on: 2))
            await list.shows(store.snapshot.commitNumber)
            #expect(list.rows.map(\.id) == [second, first] && list.change == ListChange(insertions: [0]))
            #expect(try list.items.sum(\.amount) == 3)
            #expect(try list.items.runningSum(\.amount, at: 0) == 3)
            #expect(list.rows[1].amount == 5 && list.rows[1].record?.amount == 5 && list.rows[1].category == nil)
        }
    }

    @Test func `a list under a predicate made before the first record finds it`() async throws {
        try await withLibrary { store in
            let list = try transfers(store)
            list.predicate = { try $0.amount > 0 }
            try await store.insert(transfer(-1, on: 2))
            let id = try await store.insert(transfer(5, on: 1))
            await list.shows(store.snapshot.commitNumber)
            #expect(list.rows.map(\.id) == [id] && list.items.count == 2)
        }
    }

    @Test func `a record that moves to another account leaves one list and enters the other`() async throws {
        try await withLibrary { store in
            let (one, other) = (
                try transfers(store),
                try LiveRecords(store, Transfer.self, "statement", of: ID<LedgerAccount>(rawValue: 8))
            )
            var ids: [ID<Transfer>] = []
            for day in 1...4 { ids.append(try await store.insert(transfer(1, on: Int32(day)))) }
            await one.shows(store.snapshot.commitNumber)
            try await store.update(ids[1]) { $0.account = ID(rawValue: 8) }
            await one.shows(store.snapshot.commitNumber)
            #expect(one.change == ListChange(removals: [2]) && one.count == 3)
            #expect(other.change == ListChange(insertions: [0]) && other.rows.map(\.id) == [ids[1]])
            #expect(one.index(of: ids[1]) == nil && other.index(of: ids[1]) == 0)
            try await store.update(ids[0]) { $0.date = Day(daysSince1970: 9) }
            await one.shows(store.snapshot.commitNumber)
            #expect(one.change == ListChange(moves: [.init(from: 2, to: 0)]))
            try await store.update(ids[0]) { $0.note = "x" }
            await one.shows(store.snapshot.commitNumber)
            #expect(one.change == ListChange(updates: [0]) && one.rows[0].note == "x")
        }
    }

    private struct Shop: Record {
        var id: ID<Shop> = .unassigned
        var name = ""
        var visits = 0
        enum CodingKeys: Int, CodingKey { case id, name, visits }
    }

    private struct Sale: Record {
        var id: ID<Sale> = .unassigned
        var shop: Reference<Shop> = .unassigned
        var number = 0
        enum CodingKeys: Int, CodingKey { case id, shop, number }
        static let schema = Schema {
            Link(\.shop, onDelete: .cascade)
            Order("by shop", .linked(\.shop, .ascending(\.name)), .ascending(\.number))
        }
    }

    /// Every change of a shop was a reload of all sales.
    @Test func `a list by what others are called is read again when one is called otherwise, and not before`()
        async throws
    {
        try await withLibrary { store in
            let shops = try await store.write { library in
                try ["a", "b"].map { try library.insert(Shop(name: $0)) }
            }
            for number in 0..<6 { try await store.insert(Sale(shop: shops[number % 2], number: number)) }
            let list = try LiveRecords(store, Sale.self, "by shop")
            let asked = Mutex(0)
            let odd = try LiveRecords(store, Sale.self, "by shop")
            odd.predicate = { row in
                asked.withLock { $0 += 1 }
                return try row.number % 2 == 1
            }
            await odd.shows(store.snapshot.commitNumber)
            #expect(list.rows.map { $0.record?.number } == [0, 2, 4, 1, 3, 5] && odd.count == 3)
            let (number, askedBefore) = (list.changeNumber, asked.withLock { $0 })
            try await store.update(shops[1]) { $0.visits += 1 }
            await list.shows(store.snapshot.commitNumber)
            await odd.shows(store.snapshot.commitNumber)
            #expect(list.changeNumber == number)
            #expect(asked.withLock { $0 } == askedBefore)
            try await store.update(shops[1]) { $0.name = "0" }
            await list.shows(store.snapshot.commitNumber)
            #expect(list.changeNumber == number + 1 && list.change.isReload)
            #expect(list.rows.map { $0.record?.number } == [1, 3, 5, 0, 2, 4])
            try await store.delete(shops[0])
            await list.shows(store.snapshot.commitNumber)
            #expect(list.rows.map { $0.record?.number } == [1, 3, 5])
        }
    }

    @Test func `deleted records leave the selection, and the window goes with its first row`() async throws {
        try await withLibrary { store in
            try await store.write { [transfer = transfer(1, on: 5)] library in
                for _ in 0..<100 { try library.insert(transfer) }
            }
            let list = try transfers(store)
            list.window = 40..<50
            let (first, gone) = (list.rows[40].id, list.rows[3].id)
            list.selection = [first, gone]
            try await store.write { library in _ = try library.delete(gone) }
            await list.shows(store.snapshot.commitNumber)
            #expect(list.selection == [first])
            #expect(list.window == 39..<49 && list.rows[39].id == first)
        }
    }

    /// Any commit moved it up, so that it ended with the last row.
    @Test func `a window that goes beyond the last row stays where it is, and goes with its first row`() async throws {
        try await withLibrary { store in
            try await store.write { [transfer = transfer(1, on: 5)] library in
                for _ in 0..<30 { try library.insert(transfer) }
            }
            let list = try transfers(store)
            list.window = 10..<60
            try await store.insert(LedgerAccount(name: "Cash"))
            await list.shows(store.snapshot.commitNumber)
            #expect(list.window == 10..<60)
            let last = try await store.insert(transfer(1, on: 4))
            await list.shows(store.snapshot.commitNumber)
            #expect(list.window == 10..<60)
            try await store.insert(transfer(1, on: 6))
            await list.shows(store.snapshot.commitNumber)
            #expect(list.window == 11..<61)
            list.window = 31..<81
            try await store.write { library in _ = try library.delete(last) }
            await list.shows(store.snapshot.commitNumber)
            #expect(list.window == 30..<80, "with a row in it, as before")
            list.window = 1..<Int.max
            try await store.insert(transfer(1, on: 7))
            await list.shows(store.snapshot.commitNumber)
            #expect(list.window == 2..<Int.max)
        }
    }

    @Test func `another filter is a reload, and an unknown one an error until the next`() async throws {
        try await withLibrary { store in
            for amount in [1, -1, 2] { try await store.insert(transfer(amount, on: Int32(amount + 1))) }
            let list = try transfers(store)
            list.filter = .facet("income")
            #expect(list.count == 2 && list.change.isReload)
            list.filter = .facet("outgo")
            #expect(list.count == 0 && list.error?.sentence.contains("has no facet “outgo”") == true)
            list.filter = .all
            #expect(list.count == 3 && list.error == nil)
            let byIdentifier = try LiveRecords(store, Transfer.self)
            byIdentifier.filter = .facet("income")
            #expect(byIdentifier.error?.sentence.contains("Facets are counted in orders") == true)
        }
    }

    @Test func `an order, a value and a facet that cannot be are refused at once`() async throws {
        try await withLibrary { store in
            func sentence(_ body: () throws(LibraryError) -> Void) -> String {
                do throws(LibraryError) { try body() } catch { return error.sentence }
                return ""
            }
            #expect(
                sentence { () throws(LibraryError) in _ = try LiveRecords(store, Transfer.self, "newest") }
                    .contains("has no order “newest”"))
            #expect(
                sentence { () throws(LibraryError) in _ = try LiveRecords(store, Transfer.self, "statement", of: "Cash")
                }
                .contains("one of type String was given"))
            #expect(
                sentence { () throws(LibraryError) in
                    _ = try LiveRecords(store, Transfer.self, "all", filter: .facet("outgo"))
                }.contains("has no facet “outgo”"))
        }
    }

    @Test func `more than 512 changed records are one reload`() async throws {
        try await withLibrary { store in
            let list = try transfers(store)
            let positive = try transfers(store)
            positive.predicate = { try $0.amount > 0 }
            try await store.write { [one = transfer(1, on: 1), other = transfer(-1, on: 2)] library in
                for number in 0..<600 { try library.insert(number % 2 == 0 ? one : other) }
            }
            await list.shows(store.snapshot.commitNumber)
            await positive.shows(store.snapshot.commitNumber)
            #expect(list.count == 600 && list.change.isReload)
            #expect(positive.count == 300 && positive.change.isReload)
        }
    }

    @Test func `where matches are looked for again after a commit the window goes with its first row`() async throws {
        try await withLibrary { store in
            try await store.write { [transfer = transfer(1, on: 5)] library in
                for _ in 0..<100 { try library.insert(transfer) }
            }
            let list = try transfers(store)
            list.predicate = { try $0.amount > 0 }
            await list.shows(store.snapshot.commitNumber)
            list.window = 40..<50
            let first = list.rows[40].id
            try await store.write { [later = transfer(2, on: 6)] library in
                for _ in 0..<600 { try library.insert(later) }
            }
            await list.shows(store.snapshot.commitNumber)
            #expect(list.change.isReload && list.count == 700)
            #expect(list.window == 640..<650 && list.rows[640].id == first)
        }
    }

    @Test func `lists that show the same share one number`() async throws {
        try await withLibrary { store in
            let (one, same) = (try transfers(store), try transfers(store))
            let other = try LiveRecords(store, Transfer.self, "statement", of: ID<LedgerAccount>(rawValue: 8))
            #expect(store.listHub.queryCount == 2)
            try await store.write { [transfer = transfer(1, on: 1)] library in try library.insert(transfer) }
            await one.shows(store.snapshot.commitNumber)
            #expect(one.count == 1 && same.count == 1 && other.count == 0)
            #expect(one.change == same.change && one.changeNumber == 1 && other.changeNumber == 0)
        }
    }

    @Test func `who observes rows, selection or filter is notified of each, and may read them meanwhile`() async throws
    {
        try await withLibrary { store in
            let list = try transfers(store)
            let notified = Mutex<[String]>([])
            func observe(_ name: String, _ read: () -> Void) {
                withObservationTracking(read) {
                    MainActor.assumeIsolated {
                        let state = "\(name) \(list.count) \(list.selection.count) \(list.filter == .all)"
                        notified.withLock { $0.append(state) }
                    }
                }
            }
            observe("rows") { _ = list.rows }
            observe("selection") { _ = list.selection }
            observe("filter") { _ = list.filter }
            list.selection = [ID(rawValue: 1)]
            #expect(notified.withLock { $0 } == ["selection 0 0 true"])
            try await store.insert(transfer(1, on: 1))
            await list.shows(store.snapshot.commitNumber)
            #expect(notified.withLock { $0.last } == "rows 0 1 true")
            list.filter = .facet("income")
            #expect(notified.withLock { $0 }.count == 3 && list.count == 1)
        }
    }

    @Test func `a list that an observer sets while lists are told of a commit is told of that once`() async throws {
        try await withLibrary { store in
            let first = try transfers(store)
            let (list, same) = (try transfers(store), try transfers(store))
            same.filter = .facet("income")
            try await store.insert(transfer(1, on: 1))
            for shown in [first, list, same] { await shown.shows(store.snapshot.commitNumber) }
            withObservationTracking {
                _ = first.rows
            } onChange: {
                MainActor.assumeIsolated { list.filter = .facet("income") }
            }
            let number = list.changeNumber
            try await store.write { [transfer = transfer(2, on: 1)] library in try library.insert(transfer) }
            for shown in [first, list, same] { await shown.shows(store.snapshot.commitNumber) }
            #expect(list.change.isReload && list.changeNumber == number + 1)
            #expect(list.count == 2 && same.count == 2 && !same.change.isReload)
        }
    }

    /// What was on its way was shown over it.
    @Test func `a list that an observer sets while it is told of a reload shows what the observer has set`()
        async throws
    {
        try await withLibrary { store in
            for amount in [1, -1, 2] { try await store.insert(transfer(amount, on: 1)) }
            let list = try transfers(store)
            withObservationTracking {
                _ = list.isSearching
            } onChange: {
                MainActor.assumeIsolated { list.filter = .all }
            }
            list.filter = .facet("income")
            #expect(list.filter == .all && list.count == 3)
        }
    }

    @Test func `a window that an observer sets while it is told of a commit stays so`() async throws {
        try await withLibrary { store in
            try await store.write { [transfer = transfer(1, on: 5)] library in
                for _ in 0..<100 { try library.insert(transfer) }
            }
            let list = try transfers(store)
            list.window = 40..<50
            withObservationTracking {
                _ = list.rows
            } onChange: {
                MainActor.assumeIsolated { list.window = 20..<30 }
            }
            try await store.insert(transfer(1, on: 6))
            await list.shows(store.snapshot.commitNumber)
            #expect(list.count == 101 && list.window == 20..<30)
        }
    }

    /// Who waited came back when no commit came any more.
    @Test func `who waits for a search does not wait for all those that commits lead to`() async throws {
        try await withLibrary { store in
            let rows = try RecordListQuery<LedgerAccount>().rows(in: store.snapshot.version)
            let state = LiveListState(rows, store.listMemory) { _, _, _ in nil }
            let searchCount = Mutex(0)
            state.look(
                again: false,
                for: { [weak state] (_) async throws(LibraryError) in
                    let isDisturbed = searchCount.withLock { count in
                        count += 1
                        return count < 500
                    }
                    if isDisturbed { _ = state?.follow { nil } }
                    await Task.yield()
                    return rows
                }, orShow: { _ in nil })
            await state.searched()
            #expect((2..<500).contains(searchCount.withLock { $0 }))
            state.reload(rows)
        }
    }

    /// They kept the old file's room, and its nodes, until somebody committed.
    @Test func `lists go along when a compaction moves the library to another file`() async throws {
        let store = try RecordLibrary.inMemory()
        try await store.write { library in
            for number in 0..<500 { _ = try library.insert(LedgerAccount(name: "Account \(number)")) }
        }
        let list = try LiveRecords(store, LedgerAccount.self)
        let chosen = try LiveRecords(store, LedgerAccount.self)
        chosen.predicate = { try $0.name.hasSuffix("7") }
        await chosen.shows(store.snapshot.commitNumber)
        let numbers = [list, chosen].map(\.changeNumber)
        try await store.compact()
        await pause { store.footprint[.heldNodes] == 0 }
        #expect(store.footprint[.heldNodes] == 0)
        #expect(list.rows.version === store.snapshot.version && chosen.rows.version === store.snapshot.version)
        #expect([list, chosen].map(\.changeNumber) == numbers && list.count == 500 && chosen.count == 50)
        try await store.insert(LedgerAccount(name: "Account 507"))
        await chosen.shows(store.snapshot.commitNumber)
        #expect(chosen.change == ListChange(insertions: [50]) && list.count == 501)
        try await store.close()
    }

    // MARK: What goes wrong

    private struct Plain: Record, Equatable {
        var id: ID<Plain> = .unassigned
        var title = ""
        enum CodingKeys: Int, CodingKey { case id, title }
        static let recordName = "Thing"
    }

    private struct Sorted: Record, Equatable {
        var id: ID<Sorted> = .unassigned
        var title = ""
        enum CodingKeys: Int, CodingKey { case id, title }
        static let recordName = "Thing"
        static let schema = Schema { Order("by title", \.title) }
    }

    @Test func `a list of an order that is not made yet says so, and shows what the next write makes`() async throws {
        try await withLibrary { store in
            for title in ["b", "a"] { try await store.insert(Plain(title: title)) }
            let list = try LiveRecords(store, Sorted.self, "by title")
            let chosen = try LiveRecords(store, Sorted.self, "by title")
            chosen.predicate = { try $0.title > "a" }
            let plain = try LiveRecords(store, Plain.self)
            await chosen.shows(store.snapshot.commitNumber)
            for list in [list, chosen] {
                #expect(list.count == 0 && list.error?.sentence.contains("is not made yet") == true)
            }
            #expect(plain.rows.map { $0.record?.title } == ["b", "a"])
            let number = list.changeNumber
            try await store.insert(Plain(title: "0"))
            await list.shows(store.snapshot.commitNumber)
            #expect(list.error != nil && list.changeNumber == number, "it is empty as before")
            try await store.insert(Sorted(title: "c"))
            await list.shows(store.snapshot.commitNumber)
            await chosen.shows(store.snapshot.commitNumber)
            #expect(list.error == nil && list.change.isReload)
            #expect(list.rows.map { $0.record?.title } == ["0", "a", "b", "c"])
            #expect(chosen.error == nil && chosen.rows.map { $0.record?.title } == ["b", "c"])
            try await store.insert(Plain(title: "aa"))
            await list.shows(store.snapshot.commitNumber)
            #expect(list.change == ListChange(insertions: [2]), "the other type's writes are followed, too")
            try await store.reindex(only: .appOrders)
            await list.shows(store.snapshot.commitNumber)
            #expect(list.count == 5 && list.error == nil)
        }
    }

    @Test func `an order that cannot be read is an error, and the list comes back with the order`() async throws {
        let store = try RecordLibrary.inMemory(device: 0xB00C)
        for title in ["b", "a"] { try await store.insert(Sorted(title: title)) }
        let list = try LiveRecords(store, Sorted.self, "by title")
        let key = try #require(try store.snapshot.version.orderKey(named: "by title", of: "Thing"))
        let bytes = try #require(
            try store.snapshot.version.stored(key, in: LibraryTree.appOrders) { $0.copyBytes(0..<$0.byteCount) })
        try await store.transact(.memory) { (library) throws(LibraryError) in
            try library.put([1, 2, 3], forKey: key, in: LibraryTree.appOrders)
        }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.count == 0 && list.change.isReload && list.error?.sentence.contains("by title") == true)
        try await store.transact(.memory) { (library) throws(LibraryError) in
            try library.put(bytes, forKey: key, in: LibraryTree.appOrders)
        }
        await list.shows(store.snapshot.commitNumber)
        #expect(list.count == 2 && list.change.isReload && list.error == nil)
        try await store.close()
    }

    @Test func `a damaged record is a row without a record, and a reload when it goes`() async throws {
        try await withLibrary { store in
            var ids: [ID<Transfer>] = []
            for day in 1...3 { ids.append(try await store.insert(transfer(1, on: Int32(day)))) }
            let list = try transfers(store)
            let chosen = try transfers(store)
            chosen.predicate = { try $0.amount == 1 }
            let single = LiveRecord(store, ids[1])
            await chosen.shows(store.snapshot.commitNumber)
            try await store.transact(.memory) { [id = ids[1]] (library) throws(LibraryError) in
                try library.put([0xFF], forKey: id.rawValue, in: RecordKind<Transfer>.current.tree)
                library.changes.records[Transfer.recordName, default: Changes()].update(id.untyped)
            }
            await list.shows(store.snapshot.commitNumber)
            await chosen.shows(store.snapshot.commitNumber)
            #expect(list.change.isReload && list.count == 3)
            #expect(list.rows.map { $0.record == nil } == [false, true, false] && list.index(of: ids[1]) == nil)
            #expect(chosen.rows.map(\.id) == [ids[2], ids[0]])
            #expect(single.value == nil && single.error != nil)
            try await store.write { [id = ids[1]] library in _ = try library.delete(id) }
            await list.shows(store.snapshot.commitNumber)
            await chosen.shows(store.snapshot.commitNumber)
            #expect(list.change.isReload && list.rows.map(\.id) == [ids[2], ids[0]])
            #expect(chosen.rows.map(\.id) == [ids[2], ids[0]])
            #expect(single.value == nil && single.error == nil)
        }
    }

    @Test func `a list that looks for its rows goes when nobody holds it`() async throws {
        weak var hub: LiveListHub?
        weak var list: LiveRecords<Transfer>?
        do {
            let store = try RecordLibrary.inMemory(device: 1)
            try await store.insert(transfer(1, on: 1))
            let made = try transfers(store)
            made.predicate = { try $0.amount > 0 }
            (hub, list) = (store.listHub, made)
            #expect(made.isSearching)
        }
        for _ in 0..<100 where hub != nil { await Task.yield() }
        #expect(list == nil && hub == nil)
    }

    @Test func `a list outlives the closing of its store, and waits for nothing`() async throws {
        let store = try RecordLibrary.inMemory(device: 1)
        let id = try await store.insert(transfer(1, on: 1))
        let list = try transfers(store)
        let single = LiveRecord(store, id)
        try await store.insert(transfer(2, on: 2))
        let last = store.snapshot.commitNumber
        try await store.close()
        await list.shows(last + 10)
        await single.shows(last + 10)
        #expect(list.rows.compactMap { $0.record?.amount } == [2, 1] && single.value?.amount == 1)
        #expect(try transfers(store).count == 2)
    }

    @Test func `a main actor that was busy for a hundred commits sees some of them merged, and every change`()
        async throws
    {
        try await withLibrary { store in
            let account = try await store.insert(LedgerAccount(name: "Cash"))
            let history = try await LedgerHistory([account], SeededGenerator.forTest(fallback: 5))
                .committed(40, to: store)
            let list = try LiveRecords(store, Transfer.self, "statement", of: account)
            let chosen = try LiveRecords(store, Transfer.self, "statement", of: account)
            chosen.predicate = { try $0.amount > 0 }
            await chosen.shows(store.snapshot.commitNumber)
            let number = list.changeNumber
            Self.blockMainActor {
                var history = history
                for _ in 0..<100 { history = try await history.committed(2, to: store) }
            }
            while list.snapshot.commitNumber < store.snapshot.commitNumber {
                let (old, number) = (list.rows.compactMap(\.record), list.changeNumber)
                await list.shows(list.snapshot.commitNumber + 1)
                guard list.changeNumber == number + 1 else { continue }
                #expect(!list.change.isReload)
                list.change.expect(old, list.rows.compactMap(\.record), "after \(list.snapshot.commitNumber)")
            }
            #expect(list.changeNumber - number < 70, "64 commits wait for a subscriber, the rest are merged")
            await chosen.shows(store.snapshot.commitNumber)
            let new = Array(try store.snapshot.list(Transfer.self, "statement", of: account))
            #expect(list.rows.compactMap(\.record) == new)
            #expect(chosen.rows.compactMap(\.record) == new.filter { $0.amount > 0 } && !chosen.change.isReload)
        }
    }

    @Test func `a window may be anywhere`() async throws {
        try await withLibrary { store in
            let list = try LiveRecords(store, LedgerAccount.self)
            for window in [Int.max..<Int.max, 1..<Int.max, 0..<Int.max, Int.max - 1..<Int.max, Int.min..<0] {
                list.window = window
                try await store.insert(LedgerAccount(name: "\(window)"))
                await list.shows(store.snapshot.commitNumber)
            }
            #expect(list.rows.count == 5)
        }
    }

    /// Runs the body elsewhere while the main actor does nothing else.
    private static func blockMainActor(_ body: @escaping @Sendable () async throws -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            defer { done.signal() }
            await #expect(throws: Never.self) { try await body() }
        }
        done.wait()
    }
}

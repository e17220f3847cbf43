import BookDB
import Foundation

/// What a new version of an app costs that declares more of a kind with many records: the first write, what writers wait for while the orders are
/// made, and how long that takes.
///
///     swift run -c release LibraryBenchmarks FOLDER --change RECORDS …
struct SchemaChangeBenchmark {
    private static let kindName = "Payment"

    struct Payment: Record {
        var id: ID<Payment> = .unassigned
        var account = 0
        var day = Day(daysSince1970: 0)
        var amount: Money = 0
        var memo = ""
        var number = 0
        enum CodingKeys: Int, CodingKey { case id, account, day, amount, memo, number }
        static let schema = Schema { Order("by day", \.day).sum(\.amount) }
    }

    /// With three orders and an index more.
    struct OrderedPayment: Record {
        var id: ID<OrderedPayment> = .unassigned
        var account = 0
        var day = Day(daysSince1970: 0)
        var amount: Money = 0
        var memo = ""
        var number = 0
        enum CodingKeys: Int, CodingKey { case id, account, day, amount, memo, number }
        static let recordName = SchemaChangeBenchmark.kindName
        static let indexes = [Index(\.number)]
        static let schema = Schema {
            Order("by day", \.day).sum(\.amount)
            Order("by account", \.account, .descending(\.day)).sum(\.amount)
            Order("largest", .descending(\.amount))
            Order("by memo", .folded(\.memo))
        }
    }

    /// With a unique key more.
    struct UniquePayment: Record {
        var id: ID<UniquePayment> = .unassigned
        var account = 0
        var day = Day(daysSince1970: 0)
        var amount: Money = 0
        var memo = ""
        var number = 0
        enum CodingKeys: Int, CodingKey { case id, account, day, amount, memo, number }
        static let recordName = SchemaChangeBenchmark.kindName
        static let uniqueKeys = [Unique(\.number)]
        static let schema = Schema { Order("by day", \.day).sum(\.amount) }
    }

    struct Note: Record {
        var id: ID<Note> = .unassigned
        var text = ""
        enum CodingKeys: Int, CodingKey { case id, text }
    }

    let folder: String
    let count: Int

    func run() async throws {
        try await makeLibrary()
        try await change(to: OrderedPayment.self, "four orders more", entries: 4 * count) { $0.amount += 1 }
        try await change(to: UniquePayment.self, "a unique key more", entries: count) { $0.number = -1 - $0.number }
        try await convert()
    }

    /// A field of every record moves to another, while others write.
    private func convert() async throws {
        let copy = path + ".copy"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let store = try RecordLibrary(at: copy)
        let notes = writingNotes(to: store)
        let clock = ContinuousClock()
        var list = RecordList<Payment>?.none
        let look = try clock.measure { list = try store.snapshot.records(Payment.self).where(\.memo != "") }
        let time = try await clock.measure {
            guard let list else { return }
            try await store.migrate(list, .memory) { payment, library in
                var payment = payment
                payment.account += 1
                payment.memo = ""
                try library.update(payment)
            }
        }
        notes.cancel()
        print(
            "\(count) records, each converted: looked for in \(look / .milliseconds(1)) ms, done in \(time), "
                + "\(Int(Double(count) / (time / .seconds(1)))) records a second\n"
                + "  commits of another kind meanwhile: \(try await notes.value.words)")
        try await store.close()
        try FileManager.default.removeItem(atPath: copy)
    }

    /// Writes records of another kind until it is cancelled.
    private func writingNotes(to store: RecordLibrary) -> Task<Waits, any Error> {
        Task {
            var others = Waits()
            let clock = ContinuousClock()
            while !Task.isCancelled {
                do throws(LibraryError) {
                    let start = clock.now
                    try await store.insert(Note(text: "note"), .memory)
                    others.times.append((clock.now - start) / .milliseconds(1))
                } catch {
                    guard case .cancelled = error else { throw error }
                }
                try? await Task.sleep(for: .milliseconds(1))
            }
            return others
        }
    }

    private var path: String { "\(folder)/Change-\(count).bookdb" }

    private func makeLibrary() async throws {
        try? FileManager.default.removeItem(atPath: path)
        let store = try RecordLibrary(at: path)
        var state: UInt64 = 88_172_645_463_325_252
        func next(below limit: UInt64) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % limit)
        }
        for start in stride(from: 0, to: count, by: 10_000) {
            let payments = (start..<min(start + 10_000, count)).map { number in
                Payment(
                    account: next(below: 50), day: Day(daysSince1970: Int32(15_000 + next(below: 4000))),
                    amount: Money(next(below: 100_000)), memo: "memo \(next(below: 1_000_000)) of a payment",
                    number: number)
            }
            try await store.write(.memory) { library in for payment in payments { try library.insert(payment) } }
        }
        try await store.insert(Note(text: "begun"))
        try await store.compact()
        try await store.close()
    }

    /// What commits wait for, in milliseconds.
    private struct Waits {
        var times: [Double] = []
        var words: String {
            let sorted = times.sorted()
            guard !sorted.isEmpty else { return "none" }
            func text(_ share: Double) -> String {
                String(format: "%.2f", sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))])
            }
            return "median \(text(0.5)), 99 % \(text(0.99)), longest \(text(1)) ms of \(sorted.count)"
        }
    }

    /// - Parameter edit: changes a record, in place of the one before.
    private func change<Value: Record>(
        to type: Value.Type, _ words: String, entries: Int, _ edit: @escaping @Sendable (inout Value) -> Void
    ) async throws {
        let copy = path + ".copy"
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let clock = ContinuousClock()
        let beginning = clock.now
        let store = try RecordLibrary(at: copy)
        let opening = clock.now - beginning
        let ids = try store.snapshot.records(type).all.page(limit: 1000).map(\.id)
        let start = clock.now
        let notes = writingNotes(to: store)
        let first = try await clock.measure { try await store.update(ids[0], .memory, edit) }
        var own = Waits()
        var number = 1
        while try store.snapshot.kinds.contains(where: { $0.orders.contains { !$0.isWhole } }) {
            number = (number + 1) % ids.count
            let id = ids[number]
            own.times.append(try await clock.measure { try await store.update(id, .memory, edit) } / .milliseconds(1))
            try await Task.sleep(for: .milliseconds(1))
        }
        notes.cancel()
        let others = try await notes.value
        let building = clock.now - start
        print(
            """
            \(count) records, \(words): opened in \(opening / .milliseconds(1)) ms, first write \(first / .milliseconds(1)) ms, made in \
            \(building), \(Int(Double(entries) / (building / .seconds(1)))) entries a second
              commits of the kind meanwhile: \(own.words)
              commits of another kind: \(others.words)
            """)
        try await store.close()
        try await changeInTransaction(type, copy, edit)
        // Alone, as fast as it goes.
        try FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let alone = try RecordLibrary(at: copy)
        let time = try await clock.measure { try await alone.makeOrders(of: type) }
        print("  made alone in \(time), \(Int(Double(entries) / (time / .seconds(1)))) entries a second")
        try await alone.close()
        try FileManager.default.removeItem(atPath: copy)
    }

    /// The first write as a transaction, of which nobody knows beforehand what it writes.
    private func changeInTransaction<Value: Record>(
        _ type: Value.Type, _ copy: String, _ edit: @escaping @Sendable (inout Value) -> Void
    ) async throws {
        try FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let store = try RecordLibrary(at: copy)
        let ids = try store.snapshot.records(type).all.page(limit: 20).map(\.id)
        for count in [1, 20] {
            let time = try await ContinuousClock().measure {
                try await store.write(.memory) { library in
                    for id in ids.prefix(count) {
                        guard var record = try library.record(id) else { continue }
                        edit(&record)
                        try library.update(record)
                    }
                }
            }
            print("  a transaction that changes \(count): \(time / .milliseconds(1)) ms")
        }
        try await store.close()
    }
}

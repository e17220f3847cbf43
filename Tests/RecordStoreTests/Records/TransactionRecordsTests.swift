import LibrarySupport
import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// Queries of an app's records within a transaction.
@Suite struct TransactionRecordsTests {
    private struct Account: Record, Equatable {
        var id: ID<Account> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
    }

    @Test func `of fifty who look and then insert at once, one inserts`() async throws {
        try await withLibrary { store in
            await withTaskGroup { group in
                for _ in 0..<50 {
                    group.addTask {
                        try? await store.write(.memory) { library in
                            let savings = try library.records(Account.self).where(\.name, equals: "Savings")
                            if try savings.isEmpty { try library.insert(Account(name: "Savings")) }
                        }
                    }
                }
            }
            let names = try store.snapshot.records(Account.self).all.map { $0.name }
            #expect(names == ["Savings"])
        }
    }

    @Test func `random queries in a transaction find what was written before, by indexes and without`() async throws {
        var random = SeededGenerator.forTest(fallback: 31)
        let works = (1...4).map { ID<Thing>(device: 1, counter: $0) }
        try await withLibrary { store in
            for _ in 0..<6 {
                let seed = random.next()
                try await store.write(.memory) { library in
                    var random = SeededGenerator(seed: seed)
                    let loans = library.records(Loan.self)
                    var model = try loans.all.page()
                    // Made once, and asked in between.
                    let due = try loans.sorted(by: \.due, in: Date(timeIntervalSince1970: -3)...)
                    for _ in 0..<40 {
                        var loan = Loan(work: random.pick(works)!, borrower: random.pick(["", "Ann", "Bea"])!)
                        if random.oneIn(2) {
                            loan.due = Date(timeIntervalSince1970: Double(Int(random.next() % 9)) - 5)
                        }
                        if random.oneIn(3), let index = model.indices.randomElement(using: &random) {
                            loan.id = model[index].id
                            if random.oneIn(2) {
                                try library.delete(loan.id)
                                model.remove(at: index)
                            } else {
                                try library.update(loan)
                                model[index] = loan
                            }
                        } else {
                            loan.id = try library.insert(loan)
                            model.append(loan)
                        }
                        let work = random.pick(works)!
                        let ofWork = model.filter { $0.work == work }
                        let list = try loans.where(\.work, equals: work)
                        #expect(try list.count == ofWork.count && list.page() == ofWork && list.first == ofWork.first)
                        #expect(try list.page(offset: 1, limit: 2) == Array(ofWork.dropFirst().prefix(2)))
                        #expect(try list.identifiers() == ofWork.map(\.id))
                        let expected = model.filter { $0.due.map { $0.timeIntervalSince1970 >= -3 } ?? false }
                            .sorted { ($0.due!, $0.id) < ($1.due!, $1.id) }
                        #expect(try due.page() == expected)
                        #expect(try due.identifiers(offset: 2, limit: 3) == expected.dropFirst(2).prefix(3).map(\.id))
                        // A path that no index has.
                        let long = model.filter { $0.borrower.count == 3 }
                        #expect(try loans.where(\.borrower.count, equals: 3).page() == long)
                        #expect(try loans.count == model.count && loans.all.page() == model)
                        #expect(try loans.sorted(by: \.borrower).count == model.count)
                        #expect(try loans[loan.id] == model.first { $0.id == loan.id })
                    }
                }
            }
        }
    }

    @Test func `a list that is kept beyond its transaction says so`() async throws {
        nonisolated(unsafe) var kept: TransactionRecordList<Account>?
        try await withLibrary { store in
            try await store.insert(Account(name: "Cash"))
            try await store.write { library in kept = try library.records(Account.self).all }
            let error = #expect(throws: LibraryError.self) { try kept?.count }
            #expect(error?.sentence == "A list of Account records was kept beyond the transaction that it belongs to.")
        }
    }

    @Test func `a page cannot begin before its list`() async throws {
        try await withLibrary { store in
            let error = await libraryError {
                try await store.write { library in _ = try library.records(Account.self).all.page(offset: -1) }
            }
            #expect(error?.sentence.contains("zero or more") ?? false)
            let all = try store.snapshot.records(Account.self).sorted(by: \.name)
            #expect(throws: LibraryError.self) { try all.identifiers(offset: -1) }
            #expect(throws: LibraryError.self) { try all.identifiers(limit: -1) }
            #expect(try all.identifiers(offset: 7).isEmpty)
        }
    }
}

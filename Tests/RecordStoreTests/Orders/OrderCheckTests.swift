import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// Before each commit of a debug build, the orders of the app's own records are held against the records that changed.
@Suite(.enabled(if: OrderCheck.isOn, "Builds for apps do not look."))
struct OrderCheckTests {
    private struct Visit: Record, Equatable {
        var id: ID<Visit> = .unassigned
        var place = ""
        var cost: Money = 0
        var isPaid = false
        enum CodingKeys: Int, CodingKey { case id = 0, place = 1, cost = 2, isPaid = 3 }
        static let schema = Schema {
            Order("by place", \.place).sum(\.cost)
            Facet("paid", \.isPaid == true)
        }
    }

    private let store: RecordLibrary
    private let ids: [ID<Visit>]
    private let tree: TreeNumber

    init() async throws {
        store = try RecordLibrary.inMemory()
        ids = try await store.write { library in
            try ["Bath", "Cork", "Dover"].map { try library.insert(Visit(place: $0, cost: 5)) }
        }
        tree = try #require(try store.snapshot.version.storedOrder(named: "by place", of: "Visit")).tree
    }

    /// What a faulty library could leave behind of a record that it writes.
    enum Fault: CaseIterable {
        case entryIsForgotten, amountIsOld, facetIsOld, oldEntryStays

        var words: String {
            switch self {
            case .entryIsForgotten: "does not have"
            case .amountIsOld: "has other amounts of"
            case .facetIsOld: "counts"
            case .oldEntryStays: "does not hold the records of Visit"
            }
        }
    }

    @Test(arguments: Fault.allCases)
    func `a transaction that would leave an order otherwise than its records is not kept, and says what is wrong`(
        fault: Fault
    ) async throws {
        let before = store.snapshot
        let keys = try before.version.keys(of: tree, prefix: [], after: nil, limit: 9)
        let error = await #expect(throws: LibraryError.self) {
            try await store.write { [ids, tree] library in
                let visit = Visit(id: ids[1], place: "York", cost: 7, isPaid: true)
                try library.update(visit)
                // Where it stands now, and with what.
                let key = try #require(
                    try library.trees.keys(of: tree, prefix: [], after: nil, limit: 9).first { !keys.contains($0) })
                let value = try #require(try library.trees.bytes(forKey: key, in: tree))
                let facets = try #require(try library.trees.facets(forKey: key, in: tree))
                switch fault {
                case .entryIsForgotten: try library.remove(key, in: tree)
                case .amountIsOld: try library.put(.init(repeating: 0, count: 8), forKey: key, facets: facets, in: tree)
                case .facetIsOld: try library.put(value, forKey: key, in: tree)
                case .oldEntryStays: try library.put(value, forKey: keys[1], facets: facets, in: tree)
                }
            }
        }
        guard case .damaged(let finding) = error else {
            Issue.record("thrown is \(String(describing: error))")
            return
        }
        #expect(finding.hasPrefix("The order “by place” of Visit \(fault.words)"))
        #expect(finding.contains("This is a fault of BookDB"))
        #expect(store.snapshot.commitNumber == before.commitNumber)
        try await store.update(ids[1]) { $0.place = "York" }
        expectSound(store.snapshot)
    }

    @Test func `what was wrong before a transaction keeps nobody from writing`() async throws {
        let keys = try store.snapshot.version.keys(of: tree, prefix: [], after: nil, limit: 9)
        try await store.database.write { [tree] trees in _ = try trees.remove(keys[0], in: tree) }
        let id = try await store.insert(Visit(place: "Exeter"))
        try await store.update(id) { $0.place = "Eton" }
        #expect(try store.snapshot.records(Visit.self).count == 4)
    }
}

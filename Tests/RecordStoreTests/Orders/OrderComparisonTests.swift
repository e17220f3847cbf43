import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// An opening sees whether orders hold the records of their kind, and makes those anew that do not.
struct OrderComparisonTests {
    private struct Visit: Record, Equatable {
        var id: ID<Visit> = .unassigned
        var place = ""
        var tags: [String] = []
        enum CodingKeys: Int, CodingKey { case id, place, tags }
        static let schema = Schema {
            Order("by place", \.place)
            Order("by tag", .each(\.tags))
        }
    }

    private final class Heard: DiagnosticLog {
        let events = Lock<[DiagnosticEvent]>([])
        func log(_ event: DiagnosticEvent) { events.withLock { $0.append(event) } }
        var made: [String] { events.withLock { $0.filter { $0.kind == .orderMadeAnew }.map(\.message) } }
    }

    private let fileSystem = MemoryFileSystem()

    private func open(_ log: (any DiagnosticLog)? = nil, mends: Bool = true) throws -> RecordLibrary {
        try RecordLibrary(at: "L.bookdb", log: log, fileSystem: fileSystem, buildsOrders: mends)
    }

    private func fill() async throws -> [ID<Visit>] {
        let store = try open()
        let ids = try await store.write { library throws(LibraryError) in
            var ids: [ID<Visit>] = []
            for number in 0..<300 { ids.append(try library.insert(Visit(place: "\(number)", tags: ["a", "b"]))) }
            return ids
        }
        #expect(try store.snapshot.version.unlikeOrders().isEmpty)
        try await store.compact()
        #expect(try store.snapshot.version.unlikeOrders().isEmpty)
        try await store.close()
        return ids
    }

    /// What damage, or a fault of the library, could do.
    private enum Spoiling: CaseIterable {
        case entryIsGone, entryIsDoubled
        /// There are as many as before.
        case entryIsOfAnother
        /// A record that is damaged before the order is made anew is none of it.
        case recordIsDamaged
    }

    private func spoil(_ spoiling: Spoiling, _ ids: [ID<Visit>]) async throws {
        let store = try open(mends: false)
        let order = try #require(try store.snapshot.version.storedOrder(named: "by place", of: "Visit"))
        let text: [UInt8] = [1, UInt8(ascii: "7"), 0, 0]
        let (right, wrong) = (text + .bigEndian(ids[7].rawValue), text + .bigEndian(ids[8].rawValue))
        try await store.database.write { trees in
            if spoiling != .entryIsDoubled { try trees.remove(right, in: order.tree) }
            switch spoiling {
            case .entryIsGone: break
            case .entryIsDoubled, .entryIsOfAnother: try trees.put([], forKey: wrong, in: order.tree)
            case .recordIsDamaged:
                try trees.put([0xFF], forKey: ids[7].rawValue, in: RecordKind<Visit>.current.tree)
            }
        }
        try await store.close()
    }

    @Test func `an order that lacks a record, or has the entry of another, is made anew, and the log says so`()
        async throws
    {
        let ids = try await fill()
        for spoiling in Spoiling.allCases where spoiling != .recordIsDamaged {
            try await spoil(spoiling, ids)
            let log = Heard()
            let store = try open(log)
            #expect(try store.snapshot.version.unlikeOrders().count == 1 || !log.made.isEmpty)
            while log.made.isEmpty { await pause() }
            #expect(
                log.made[0].hasPrefix(
                    "The order “by place” of Visit did not hold the records of Visit, and is made anew."))
            // By itself, though nobody writes.
            while (try? store.snapshot.list(Visit.self, "by place").count) != 300 { await pause() }
            expectSound(store.snapshot)
            try await store.close()
        }
    }

    @Test
    func `records that cannot be read, and orders where records stand several times, are no reason to make one anew`()
        async throws
    {
        let ids = try await fill()
        try await spoil(.recordIsDamaged, ids)
        let log = Heard()
        let store = try open(log)
        #expect(try store.snapshot.version.unlikeOrders().map(\.order.name) == ["by place"])
        #expect(await store.mendOrders { log.log($0("")) } == "the orders hold the records of their kinds")
        #expect(log.made.isEmpty)
        #expect(try store.snapshot.list(Visit.self, "by place").count == 299)
        try await store.close()
    }
}

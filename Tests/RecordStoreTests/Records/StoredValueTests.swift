import LibrarySupport
import StorageEngine
import Testing

@testable import RecordStore

/// A query by a field has one answer, whether an index has it, is being made, or is not declared.
@Suite struct StoredValueTests {
    private enum LaterStatus: String, Codable, CaseIterable { case archived, closed, open }
    private enum Status: String, Codable, CaseIterable { case open, closed }

    private struct Later: Record {
        var id: ID<Later> = .unassigned
        var status = LaterStatus.open
        var former: LaterStatus?
        enum CodingKeys: Int, CodingKey { case id = 0, status = 1, former = 2 }
        static let recordName = "Task"
    }

    private struct Indexed: Record {
        var id: ID<Indexed> = .unassigned
        var status = Status.open
        var former: Status?
        enum CodingKeys: Int, CodingKey { case id = 0, status = 1, former = 2 }
        static let recordName = "Task"
        static let indexes = [Index(\.status), Index(\.former)]
    }

    private struct Plain: Record {
        var id: ID<Plain> = .unassigned
        var status = Status.open
        var former: Status?
        enum CodingKeys: Int, CodingKey { case id = 0, status = 1, former = 2 }
        static let recordName = "Task"
    }

    @Test func `a case that only another version has is none that this one asks for, with an index or without`()
        async throws
    {
        try await withLibrary { store in
            var ids: [UInt64] = []
            for (status, former) in [(LaterStatus.open, nil), (.archived, LaterStatus.archived), (.closed, .open)] {
                ids.append(try await store.insert(Later(status: status, former: former)).rawValue)
            }
            // The index is there from the first write of its type on.
            for isIndexed in [false, true] {
                if isIndexed { try await store.makeOrders(of: Indexed.self) }
                let (plain, records) = (store.snapshot.records(Plain.self), store.snapshot.records(Indexed.self))
                let index = try store.snapshot.version.storedOrders(of: Array("Task".utf8))
                #expect(index.isEmpty == !isIndexed)
                #expect(try records.where(\.status, equals: .open).map(\.id.rawValue) == [ids[0]])
                #expect(try plain.where(\.status, equals: .open).map(\.id.rawValue) == [ids[0]])
                #expect(try records.where(\.former, equals: nil).map(\.id.rawValue) == [ids[0]])
                #expect(try plain.where(\.former, equals: nil).map(\.id.rawValue) == [ids[0]])
                #expect(try records.sorted(by: \.status).map(\.id.rawValue) == [ids[1], ids[2], ids[0]])
                #expect(try plain.sorted(by: \.status).map(\.id.rawValue) == [ids[1], ids[2], ids[0]])
                #expect(try records.sorted(by: \.former).map(\.id.rawValue) == [ids[1], ids[2], ids[0]])
                #expect(try plain.sorted(by: \.former).map(\.id.rawValue) == [ids[1], ids[2], ids[0]])
            }
        }
    }
}

import LibrarySupport
import RecordStore
import StorageEngine
import Testing

@testable import RecordStore

/// An account that links and keys are tried with.
struct UndoAccount: Record, Equatable {
    var id: ID<UndoAccount> = .unassigned
    var name = ""
    var note: String?
    var balance = 0
    enum CodingKeys: Int, CodingKey { case id, name, note, balance }
    static let uniqueKeys = [Unique(\.name)]
}

struct UndoTag: Record, Equatable {
    var id: ID<UndoTag> = .unassigned
    var name = ""
    enum CodingKeys: Int, CodingKey { case id, name }
}

struct UndoTransfer: Record, Equatable {
    var id: ID<UndoTransfer> = .unassigned
    var account: Reference<UndoAccount> = .unassigned
    var tag: Reference<UndoTag>?
    var amount: Money = 0
    var lines: [UndoLine] = []
    enum CodingKeys: Int, CodingKey { case id, account, tag, amount, lines }
    static let schema = Schema {
        Link(\.account, onDelete: .cascade)
        Link(\.tag, onDelete: .nullify)
        Order("statement", \.account, .descending(\.amount)).sum(\.amount)
        Order("by account", .linked(\.account, .folded(\.name)), .ascending(\.amount))
        Facet("income", \.amount > 0)
    }
}

struct UndoLine: RecordPart, Equatable {
    var text = ""
    var share: Money = 0
    enum CodingKeys: Int, CodingKey { case text, share }
}

/// Whether two snapshots have the same records, byte for byte.
func expectSameRecords(
    _ snapshot: Snapshot, _ other: Snapshot, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    var found: [String] = []
    try snapshot.differences(from: other) { difference in
        guard case .record(let record) = difference else { return }
        found.append("\(record.kind) \(record.id) \(record.change)")
    }
    #expect(found.isEmpty, comment, sourceLocation: sourceLocation)
}

/// A library that can undo, verified when the test is done with it.
func withUndo(
    _ keeping: UndoKeeping = .on, isolation: isolated (any Actor)? = #isolation,
    _ body: (RecordLibrary) async throws -> Void
) async throws {
    let store = try RecordLibrary.inMemory(device: 0xB00C, undo: keeping)
    try await body(store)
    expectSound(store.snapshot)
    try await store.close()
}

/// What an operation is refused with, which changes nothing.
func conflicts(
    of store: RecordLibrary, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async throws -> [UndoConflict] {
    // What others have written is seen by then.
    await store.database.follow()
    let before = store.snapshot
    let error = await libraryError { try await body() }
    guard case .undoRefused(let conflicts)? = error else {
        Issue.record("\(error.map { "\($0)" } ?? "nothing") was thrown")
        return []
    }
    #expect(store.snapshot.commitNumber == before.commitNumber)
    try expectSameRecords(store.snapshot, before)
    return conflicts
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import LibrarySupport
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// A place of an app's own, for what `FrozenLibrary` keeps beside books.
struct FrozenShelf: Record, Equatable {
    var id: ID<FrozenShelf> = .unassigned
    var name = ""
    enum CodingKeys: Int, CodingKey { case id = 0, name = 1 }
    static let recordName = "Shelf"
    static let uniqueKeys = [Unique(\.name, folded: true)]
}

/// A record of an app's own, in orders of every kind.
struct FrozenLoan: Record, Equatable {
    struct Part: RecordPart, Equatable {
        var kind = ""
        var amount: Money = 0
        enum CodingKeys: Int, CodingKey { case kind = 0, amount = 1 }
    }

    var id: ID<FrozenLoan> = .unassigned
    var work: Reference<Work> = .unassigned
    var shelf: Reference<FrozenShelf>?
    var person = ""
    var due = Day(daysSince1970: 0)
    var fee: Money = 0
    var currency = "EUR"
    var tags: [String] = []
    var parts: [Part] = []
    var note: String?
    var isBack = false
    enum CodingKeys: Int, CodingKey {
        case id = 0, work = 1, shelf = 2, person = 3, due = 4, fee = 5, currency = 6, tags = 7, parts = 8, note = 9
        case isBack = 12
    }

    static let recordName = "Loan"
    static let indexes = [Index(\.work)]
    static let schema = Schema {
        Link(\.work, onDelete: .cascade)
        Link(\.shelf, onDelete: .nullify)
        Order("by due", .descending(\.due)).sum(\.fee, in: \.currency)
        Order("by fee", \.currency, \.fee).sum(\.fee, findsRows: true)
        Order("by person", .folded(\.person), .ascending(\.note, absentFirst: true))
        Order("as filed", .filed(\.person))
        Order("by tag", .each(\.tags))
        Order("by part", .each(\.parts, \.kind)).sum(each: \.parts, \.amount)
        Order("by shelf", .linked(\.shelf, .ascending(\.name)))
        Facet(\.isBack)
        Facet("dear", \.fee > 10)
    }

    static let orders = [
        "by due", "by fee", "by person", "as filed", "by tag", "by part", "by shelf",
    ]
}

/// Libraries as some version of BookDB wrote them: a folder each in `Formats/frozen`, which is never written again.
///
/// `BOOKDB_FREEZE=0.1.0 swift test --filter frozen` adds one.
struct FrozenLibrary: CustomTestStringConvertible {
    static let folder = "Formats/frozen"
    /// The versions whose libraries there are.
    static let all = RepositoryFiles.names(in: folder).filter { !$0.contains(".md") }.map(FrozenLibrary.init)

    let version: String
    var testDescription: String { version }

    private var path: String { "\(RepositoryFiles.root)/\(Self.folder)/\(version)" }
    var library: String { path + "/library" }
    var backup: String { path + "/backup" }

    /// What an export has, a line each.
    var export: [String] { get throws { try lines(of: "export.jsonl") } }

    /// What `lists` gives.
    var lists: [String] { get throws { try lines(of: "lists.txt") } }

    private func lines(of name: String) throws -> [String] {
        try String(contentsOfFile: path + "/" + name, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// A copy that may be changed.
    func withCopy(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bookdb-frozen-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let copy = folder.appendingPathComponent("library").path
        try FileManager.default.copyItem(atPath: library, toPath: copy)
        try await body(copy)
    }

    // MARK: What is in it

    /// The identifiers in each order and list, and counts and sums.
    static func lists(_ snapshot: Snapshot) throws -> [String] {
        func line(_ name: String, _ ids: some Sequence<some CustomStringConvertible>) -> String {
            "\(name): " + ids.map(\.description).joined(separator: " ")
        }
        let works = snapshot.works
        var lines = WorkOrder.allCases.map { line($0.rawValue, works.list(by: $0).map(\.id)) }
        for status in ReadingStatus.allCases {
            lines.append("\(status.name): \(works.list(by: .title, .status(status)).count)")
        }
        lines += try works.tags.map { "tag \($0.name): \($0.count)" }
        lines += try works.series.map { "series \($0.name): \($0.count)" }
        lines += try works.languages.map { "language \($0.language): \($0.count)" }
        for order in FrozenLoan.orders {
            lines.append(line(order, try snapshot.list(FrozenLoan.self, order).map(\.id)))
        }
        let byFee = try snapshot.list(FrozenLoan.self, "by fee")
        lines.append("fees: \(try byFee.sum(\.fee))")
        return lines
    }

    // MARK: Making one

    /// A library with what one can hold, a part of it in the log, and two backups of it in one folder.
    func make() async throws {
        let files = FileManager.default
        guard !files.fileExists(atPath: path) else { throw CocoaError(.fileWriteFileExists) }
        try files.createDirectory(atPath: path, withIntermediateDirectories: true)
        let store = try BookStore(at: library, undo: .on)
        try await store.fill(withSample: 600)
        let shelves = try await store.write { library in
            try ["Hall, by the door", "Attic"].map { try library.insert(FrozenShelf(name: $0)) }
        }
        let ids = store.snapshot.works.list(by: .added).map(\.id)
        try await store.write { library in
            for (number, id) in ids.prefix(120).enumerated() { try library.insert(Self.loan(number, of: id, shelves)) }
        }
        try await store.compact()
        _ = try await store.backup(to: backup)
        try await store.write { library in
            library.commitName = "After the compaction"
            for id in ids.dropFirst(30).prefix(20) { try library.delete(id) }
            try library.delete(shelves[1])
            for id in ids.dropFirst(60).prefix(20) {
                guard var work = try library.work(id) else { continue }
                work.title = "Řeka " + work.title
                work.description = String(repeating: "A text of its own, again and again. ", count: 40)
                try library.update(work)
                try library.set(UserLibraryEntry(for: id, status: .paused, notes: "Kept.", tags: ["frozen", "Été"]))
            }
        }
        try await store.write { try $0.delete(ids[99]) }
        try await store.undo()
        _ = try await store.backup(to: backup)
        let (lines, lists) = (try store.snapshot.exportedLines(), try Self.lists(store.snapshot))
        try await store.close()
        // The number of a process is of no interest.
        for folder in [library, backup] { try files.removeItem(atPath: folder + "/lock") }
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path + "/export.jsonl"))
        try Data((lists.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path + "/lists.txt"))
    }

    private static func loan(_ number: Int, of work: ID<Work>, _ shelves: [ID<FrozenShelf>]) -> FrozenLoan {
        FrozenLoan(
            work: work, shelf: number % 3 == 0 ? nil : shelves[number % 2],
            person: ["Ann", "ánn", "Bob the Élder", "The Zoë"][number % 4],
            due: Day(daysSince1970: Int32(19_000 + number * 7 % 50)),
            fee: Money(number % 13), currency: ["EUR", "SEK"][number % 2],
            tags: Array(["a", "b", "c"].prefix(number % 4)),
            parts: [
                FrozenLoan.Part(kind: "late", amount: Money(number % 5)), FrozenLoan.Part(kind: "post", amount: 2),
            ],
            note: number % 5 == 0 ? nil : "note \(number % 7)", isBack: number % 2 == 0)
    }
}

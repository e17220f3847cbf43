import BookDB
import Foundation

/// BookDB alone: every work is replaced by another ten times, one in a hundred with each commit, while a reader holds the first
/// snapshot. What that writes, and what it leaves on the disk.
struct Turnover {
    private let options: Options
    private static let turns = 10
    private static let stepsPerTurn = 100

    init(_ options: Options) { self.options = options }

    func run() async throws {
        try FileTree(path: options.runFolder).make()
        let plan = try await Source(options).prepare()
        let kept = FileTree(path: Context.home(options.runFolder, .stores, BookDBPeer.key))
        let home = FileTree(path: Context.home(options.runFolder, .copies, BookDBPeer.key))
        try kept.copy(to: home.path)
        let store = try BookStore(at: home.path + "/store")
        let held = store.snapshot
        let firstPage = Digest.of(try held.works.list().rows(offset: 0, limit: 50) { ListRow($0) })
        let writtenBefore = Self.writtenByteCount
        var (changed, peak, peakHeld) = (0, 0, 0)
        var books = try await Self.books(options.runFolder)
        let start = ContinuousClock.now
        for step in 0..<Self.turns * Self.stepsPerTurn {
            let slice = stride(from: step % Self.stepsPerTurn, to: books.count, by: Self.stepsPerTurn).map { $0 }
            let replaced = slice.map { books[$0] }
            let ids = try await store.write { library in
                var authors: [Int64: ID<Author>] = [:]
                return try replaced.map { book in
                    _ = try library.delete(ID<Work>(book.full.work.id))
                    return try library.insert(book, authors: &authors).number
                }
            }
            for (index, id) in zip(slice, ids) { books[index].full.work.id = id }
            changed += replaced.reduce(0) { $0 + Self.byteCount($1) }
            peak = max(peak, home.byteCount())
            peakHeld = max(peakHeld, Self.unlinkedByteCount(home.path))
        }
        let duration = start.duration(to: .now)
        guard Digest.of(try held.works.list().rows(offset: 0, limit: 50) { ListRow($0) }) == firstPage else {
            throw Failure("The snapshot that was held does not show what it showed.")
        }
        let written = Self.writtenByteCount - writtenBefore
        let atEnd = home.byteCount()
        let report = try await store.compact()
        print(
            """
            \(plan.workCount) works, each replaced \(Self.turns) times in \(Self.turns * Self.stepsPerTurn) durable commits, a snapshot \
            held throughout; \(MeasuredUnit.nanoseconds.text(duration.nanoseconds)).

            | | bytes | ratio |
            |---|---:|---:|
            | records that were replaced | \(changed) | 1 |
            | written, to log and snapshots | \(written) | \(Self.ratio(written, changed)) |
            | disk, live (compacted) | \(home.byteCount()) | 1 |
            | disk at the end, before that | \(atEnd) | \(Self.ratio(atEnd, home.byteCount())) |
            | disk at the peak | \(peak) | \(Self.ratio(peak, home.byteCount())) |
            | removed files that the held snapshot keeps, at most | \(peakHeld) | \(Self.ratio(peakHeld, home.byteCount())) |
            | log that the last compaction folded in | \(report.logByteCountBefore) | |
            """)
        blackHole(held)
        try await store.close()
        try FileTree(path: options.runFolder + "/copies").remove()
    }

    private static func books(_ folder: String) async throws -> [Book] {
        var books: [Book] = []
        try Catalogue.arrivalOrder(folder).forEachBatch { batch, _ in books += batch }
        // The library has all authors.
        for index in books.indices { books[index].newAuthors = [] }
        return books
    }

    /// Of a work's own records, without what a store derives from them.
    private static func byteCount(_ book: Book) -> Int {
        let entry = book.full.entry?.packed.count ?? 0
        return book.full.work.packed.count + book.full.editions.reduce(entry) { $0 + $1.packed.count }
    }

    /// What this process gave to the system to write so far.
    private static var writtenByteCount: Int {
        let text = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("wchar:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    /// The lengths of mapped files of a folder that have no name any more.
    private static func unlinkedByteCount(_ folder: String) -> Int {
        let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        return maps.split(separator: "\n").filter { $0.hasSuffix("(deleted)") && $0.contains(folder) }
            .compactMap { line in
                let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { Int($0, radix: 16) }
                return ends.count == 2 ? ends[1] - ends[0] : nil
            }.reduce(0, +)
    }

    private static func ratio(_ part: Int, _ whole: Int) -> String {
        String(format: "%.2f", Double(part) / Double(max(1, whole)))
    }
}

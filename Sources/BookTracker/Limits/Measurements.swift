import BookDB
import BookImport
import Foundation

/// The work of an app on its open library, timed: what a reader does in the first minute.
@MainActor struct Measurements {
    let store: BookStore
    let works: WorkList
    let size: LibrarySize

    /// Everything, in the order in which a reader might.
    ///
    /// - Parameter memoryBefore: the memory of the process before the library was opened.
    func all(_ memoryBefore: Int?) async throws -> Measured {
        var measured = Measured()
        measured.workCount = works.items.count
        measured.firstRowCount = Frame(of: works).rows.count
        measured.readableCount = scroll()
        if let memoryBefore, let memory = ProcessMemory.privateByteCount {
            measured.listByteCount = max(0, memory - memoryBefore)
        }
        measured.footprint = store.footprint
        measured.search = await search(typedTexts())
        measured.filter = filter()
        measured.purchases = try purchases()
        measured.imports = try await importWorks()
        return measured
    }

    private static func nanoseconds(since start: ContinuousClock.Instant) -> Int {
        Int(start.duration(to: .now) / .nanoseconds(1))
    }

    // MARK: The list

    /// Draws every row of the list once, a screen after the other.
    ///
    /// - Returns: how many rows could be read.
    private func scroll() -> Int {
        var readableCount = 0
        for start in stride(from: 0, to: works.items.count, by: Frame.rowCount) {
            works.window = start..<min(start + Frame.rowCount, works.items.count)
            for index in works.window where Frame.Row(works.items[index]).isReadable { readableCount += 1 }
        }
        works.window = 0..<min(Frame.rowCount, works.items.count)
        return readableCount
    }

    // MARK: Search

    /// What a reader types to find a work in the middle of the list.
    private func typedTexts() -> [String] {
        let items = works.items
        return Self.typedTexts(for: items[(items.count / 2)...].first(where: \.isReadable)?.title ?? "")
    }

    /// A title, letter by letter, and once with two letters swapped; nothing for an empty one.
    static func typedTexts(for title: String) -> [String] {
        guard !title.isEmpty else { return [] }
        let title = String(title.prefix(12))
        var swapped = Array(title)
        if swapped.count > 3 { swapped.swapAt(1, 2) }
        return (1...title.count).map { String(title.prefix($0)) } + [String(swapped)]
    }

    /// Types into the search field of the list and waits for the rows after each text.
    private func search(_ texts: [String]) async -> (nanoseconds: Int, textCount: Int, foundCount: Int) {
        var (longest, found) = (0, 0)
        for (number, text) in texts.enumerated() {
            let start = ContinuousClock.now
            works.search = text
            await works.shows(store.snapshot.commitNumber)
            _ = Frame(of: works)
            longest = max(longest, Self.nanoseconds(since: start))
            // The last is the one with the slip.
            if number == texts.count - 2 { found = works.items.count }
        }
        works.search = ""
        return (longest, texts.count, found)
    }

    // MARK: Filters

    /// Narrows the list to each status of review and of reading in turn, and draws the first rows.
    private func filter() -> (nanoseconds: Int, countOfReviews: Int) {
        var (longest, count) = (0, 0)
        func narrow(_ filter: WorkFilter) {
            let start = ContinuousClock.now
            works.filter = filter
            _ = Frame(of: works)
            longest = max(longest, Self.nanoseconds(since: start))
        }
        for status in ReviewStatus.allCases {
            narrow(.review(status))
            count += works.items.count
        }
        for status in ReadingStatus.allCases { narrow(.status(status)) }
        works.filter = .all
        return (longest, count)
    }

    // MARK: Purchases

    /// Opens the list of purchases: its count, its first page with accounts and titles, and the sum of each account.
    private func purchases() throws -> (nanoseconds: Int, count: Int, rowCount: Int) {
        let start = ContinuousClock.now
        let list = try LiveRecords(store, Purchase.self, "newest")
        let lines = try list.items.page(limit: Frame.rowCount, with: \.account) { purchase, account in
            let title = try purchase.work.flatMap { try list.snapshot.works[$0]?.title }
            return try "\(purchase.date) \(purchase.amount) \(account?.name ?? "") \(title ?? "")"
        }
        for account in try list.snapshot.records(Account.self).all {
            _ = try list.snapshot.list(Purchase.self, "statement", of: account.id).sum(\.amount)
        }
        return (Self.nanoseconds(since: start), list.count, lines.count)
    }

    // MARK: Import

    /// Imports a file of works, waits until the list shows them, and removes them again.
    private func importWorks() async throws -> (nanoseconds: Int, addedCount: Int, shownCount: Int) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("BookTracker-\(UUID().uuidString).csv")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(importLines().utf8).write(to: file)
        let (added, countBefore) = (AddedWorks(), works.items.count)
        let start = ContinuousClock.now
        let job = store.import(ImportSource(path: file.path)) { batch in
            await added.add(batch.rows.filter { $0.action == .added }.map(\.work))
        }
        let addedCount = try await job.result.added
        await works.shows(store.snapshot.commitNumber)
        let (time, shownCount) = (Self.nanoseconds(since: start), works.items.count - countBefore)
        let identifiers = await added.identifiers
        try await store.write { library in for id in identifiers { try library.delete(id) } }
        await works.shows(store.snapshot.commitNumber)
        return (time, addedCount, shownCount)
    }

    private actor AddedWorks {
        private(set) var identifiers: [ID<Work>] = []
        func add(_ new: [ID<Work>]) { identifiers += new }
    }

    /// A file as Goodreads exports it. The titles name the commit, so that they are new in every run.
    private func importLines() -> String {
        var lines = "Book Id,Title,Author,Author l-f,My Rating,Original Publication Year,Exclusive Shelf\n"
        let commit = store.snapshot.commitNumber
        for number in 0..<size.imports {
            let book = Int(commit) * 10_000 + number
            lines += "\(900_000_000 + book),\"Harbour Notes \(commit), Volume \(number + 1)\",Ada Quill \(number % 40),"
            lines += "\"Quill \(number % 40), Ada\",\(number % 6),\(1950 + number % 70),read\n"
        }
        return lines
    }
}

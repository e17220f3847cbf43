import BookDB
import BookImport
import Foundation

/// The work of an app on its open library, timed: what a reader does in the first minute.
@MainActor struct Measurements {
    let store: BookStore
    let works: WorkList
    let size: LibrarySize

    private static func nanoseconds(_ body: () async throws -> Void) async rethrows -> Int {
        let start = ContinuousClock.now
        try await body()
        return Int(start.duration(to: .now) / .nanoseconds(1))
    }

    // MARK: The list

    /// Draws every row of the list once, a screen after the other.
    ///
    /// - Returns: how many rows could be read.
    func scroll() -> Int {
        var readableCount = 0
        for start in stride(from: 0, to: works.items.count, by: Frame.rowCount) {
            works.window = start..<min(start + Frame.rowCount, works.items.count)
            for index in works.window where Frame.Row(works.items[index]).isReadable { readableCount += 1 }
        }
        works.window = 0..<min(Frame.rowCount, works.items.count)
        return readableCount
    }

    // MARK: Search

    /// What a reader types to find a work of the library: its title, letter by letter, and once with two letters swapped.
    func typedTexts() -> [String] {
        guard !works.items.isEmpty else { return [] }
        let title = String(works.items[works.items.count / 2].title.prefix(12))
        var swapped = Array(title)
        if swapped.count > 3 { swapped.swapAt(1, 2) }
        return (1...title.count).map { String(title.prefix($0)) } + [String(swapped)]
    }

    /// Types into the search field of the list and waits for the rows after each letter.
    ///
    /// - Returns: the longest wait, and how many rows the last but one text found: the title as it is.
    func search(_ texts: [String]) async -> (nanoseconds: Int, foundCount: Int) {
        var (longest, found) = (0, 0)
        for (number, text) in texts.enumerated() {
            let time = await Self.nanoseconds {
                works.search = text
                await works.shows(store.snapshot.commitNumber)
                _ = Frame(of: works)
            }
            longest = max(longest, time)
            if number == texts.count - 2 { found = works.items.count }
        }
        works.search = ""
        return (longest, found)
    }

    // MARK: Filters

    /// Narrows the list to each status of review and of reading in turn, and draws the first rows.
    ///
    /// - Returns: the longest of these, and how many works the statuses of review have together: each has one.
    func filter() async -> (nanoseconds: Int, countOfReviews: Int) {
        var (longest, count) = (0, 0)
        let reviews = ReviewStatus.allCases.map { WorkFilter.review($0) }
        for (number, filter) in (reviews + ReadingStatus.allCases.map { .status($0) }).enumerated() {
            let time = await Self.nanoseconds {
                works.filter = filter
                _ = Frame(of: works)
            }
            longest = max(longest, time)
            if number < reviews.count { count += works.items.count }
        }
        works.filter = .all
        return (longest, count)
    }

    // MARK: Purchases

    /// Opens the list of purchases: its count, its first page with accounts and titles, and the sum of each account.
    func purchases() async throws -> (nanoseconds: Int, count: Int, rowCount: Int) {
        var (count, rowCount) = (0, 0)
        let time = try await Self.nanoseconds {
            let list = try LiveRecords(store, Purchase.self, "newest")
            count = list.count
            let lines = try list.items.page(limit: Frame.rowCount, with: \.account) { purchase, account in
                let title = try purchase.work.flatMap { try list.snapshot.works[$0]?.title }
                return try "\(purchase.date) \(purchase.amount) \(account?.name ?? "") \(title ?? "")"
            }
            rowCount = lines.count
            for account in try list.snapshot.records(Account.self).all {
                _ = try list.snapshot.list(Purchase.self, "statement", of: account.id).sum(\.amount)
            }
        }
        return (time, count, rowCount)
    }

    // MARK: Import

    /// Imports a file of works, waits until the list shows them, and removes them again.
    func importWorks() async throws -> (nanoseconds: Int, addedCount: Int, shownCount: Int) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("BookTracker-\(UUID().uuidString).csv")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(importLines().utf8).write(to: file)
        let added = AddedWorks()
        let countBefore = works.items.count
        var (addedCount, shownCount) = (0, 0)
        let time = try await Self.nanoseconds {
            let job = store.import(ImportSource(path: file.path)) { batch in
                await added.add(batch.rows.filter { $0.action == .added }.map(\.work))
            }
            addedCount = try await job.result.added
            await works.shows(store.snapshot.commitNumber)
            shownCount = works.items.count - countBefore
        }
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

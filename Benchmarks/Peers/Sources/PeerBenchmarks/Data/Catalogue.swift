import BookDB
import Foundation

/// The books of a BookDB library in a folder, once in title order and once in the order they arrived, and the plan of the run.
///
/// The peers are filled from the file in title order: they are spared the sorting, which BookDB does as it imports.
struct Catalogue {
    let folder: String

    static func titleOrder(_ folder: String) -> BookFile { BookFile(path: folder + "/title-order.books") }
    static func arrivalOrder(_ folder: String) -> BookFile { BookFile(path: folder + "/arrival-order.books") }

    func write(_ snapshot: Snapshot, isFromSample: Bool) throws {
        let list = snapshot.works.sorted()
        guard list.count >= Plan.anchorCount else {
            throw Failure("The comparison needs \(Plan.anchorCount) works or more, not \(list.count).")
        }
        var places: [(id: ID<Work>, place: Int64, key: [UInt8])] = []
        places.reserveCapacity(list.count)
        var anchors: [Anchor] = []
        var author: AuthorRecord?
        let inTitleOrder = try BookFileWriter(path: Self.titleOrder(folder).path)
        var cursor: WorkCursor?
        for rank in 0..<list.count {
            let page = try list.page(after: cursor, limit: 1)
            // The last row has no cursor behind it; whatever is filed behind the one before it will do.
            let behind: [UInt8] = (places.last?.key ?? []) + [0xFF]
            let key = page.next?.filingKey ?? behind
            guard let item = page.items.first, let (book, authors) = try book(item, rank, key, snapshot) else {
                throw Failure("The library cannot be read at row \(rank).")
            }
            inTitleOrder.append(book, authors: authors)
            places.append((item.id, book.place, key))
            if let next = page.next, rank >= anchors.count * (list.count - 1) / Plan.anchorCount,
                anchors.count < Plan.anchorCount
            {
                anchors.append(
                    Anchor(
                        place: book.place, id: book.work.id, title: book.work.title, authors: book.row.authors,
                        cursor: next))
            }
            author = author ?? authors.first
            cursor = page.next
        }
        guard let author else { throw Failure("The library has no author.") }
        var plan = Plan(workCount: list.count, anchors: anchors, author: author, prefix: "", prefixKey: [])
        plan.isFromSample = isFromSample
        plan.statusCount = try snapshot.works.count(.status(.read))
        try choosePrefix(&plan, snapshot, places.map(\.key))
        try plan.save(folder)
        places.sort { $0.id < $1.id }
        let inArrivalOrder = try BookFileWriter(path: Self.arrivalOrder(folder).path)
        for (id, place, key) in places {
            guard let position = try snapshot.works.position(of: id),
                let (book, authors) = try book(list[position], Int(place / Book.step) - 1, key, snapshot)
            else { throw Failure("The library has no row for \(id).") }
            inArrivalOrder.append(book, authors: authors)
        }
    }

    private func book(
        _ item: WorkListItem, _ rank: Int, _ key: [UInt8], _ snapshot: Snapshot
    ) throws -> (Book, [AuthorRecord])? {
        guard let details = try snapshot.works.details(item.id) else { return nil }
        let full = FullWork(details)
        let row = ListRow(item)
        let book = Book(
            place: Int64(rank + 1) * Book.step, key: key, row: row, text: SearchText.of(row, full.work), newAuthors: [],
            work: full.work, editions: full.editions, entry: full.entry)
        return (book, full.authors)
    }

    /// As many letters of a title, three or less, as fifty titles or more begin with.
    private func choosePrefix(_ plan: inout Plan, _ snapshot: Snapshot, _ keys: [[UInt8]]) throws {
        let titles = plan.anchors[(plan.anchors.count / 2)...].map { $0.title.lowercased() }
        for prefix in [3, 2, 1].lazy.flatMap({ count in titles.map { String($0.prefix(count)) } }) {
            let list = snapshot.works.titled(prefix)
            guard prefix.allSatisfy({ ("a"..."z").contains($0) }), list.count >= 50,
                let first = try snapshot.works.position(of: list[0].id)
            else { continue }
            // What the keys of the first and the last title have in common is the prefix, or finds the same titles.
            let last = keys[first + list.count - 1]
            plan.prefix = prefix
            plan.prefixKey = zip(keys[first], last).prefix { $0 == $1 }.map(\.0)
            return
        }
        throw Failure("No title in the middle begins with letters that fifty others begin with.")
    }
}

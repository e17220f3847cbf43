import BookDB
import Foundation

/// The books of a BookDB library in a folder, once in title order and once in the order they arrived, and the plan of the run.
///
/// The peers are filled from the file in title order: they are spared the sorting, which BookDB does as it imports.
struct Catalogue {
    let folder: String

    static func titleOrder(_ folder: String) -> BookFile { BookFile(path: folder + "/title-order.books") }
    static func arrivalOrder(_ folder: String) -> BookFile { BookFile(path: folder + "/arrival-order.books") }

    func write(_ snapshot: Snapshot, isFromSample: Bool) async throws {
        let count = try snapshot.works.count
        guard count >= Plan.anchorCount else {
            throw Failure("The comparison needs \(Plan.anchorCount) works or more, not \(count).")
        }
        var places: [(id: ID<Work>, place: Int64, key: [UInt8])] = []
        places.reserveCapacity(count)
        var anchors: [Anchor] = []
        var known: [(row: ListRow, authors: [AuthorRecord])] = []
        var highestNumber: Int64 = 0
        let inTitleOrder = try BookFileWriter(path: Self.titleOrder(folder).path)
        try TitleOrder(snapshot: snapshot).forEach { step in
            let book = try book(step.item, step.rank, step.key, snapshot)
            inTitleOrder.append(book)
            places.append((step.item.id, book.place, step.key))
            highestNumber = max(highestNumber, book.full.highestNumber)
            guard let cursor = step.cursor, anchors.count < Plan.anchorCount,
                step.rank >= anchors.count * (count - 1) / Plan.anchorCount
            else { return }
            anchors.append(
                Anchor(
                    place: book.place, id: book.row.id, title: book.row.title, authors: book.row.authors,
                    cursor: cursor))
            if !book.full.authors.isEmpty { known.append((book.row, book.full.authors)) }
        }
        guard !known.isEmpty else { throw Failure("The library has no author.") }
        var plan = Plan(workCount: count, anchors: anchors, prefix: "", prefixKey: [])
        plan.isFromSample = isFromSample
        plan.statusCount = try snapshot.works.count(.status(.read))
        try choosePrefix(&plan, snapshot, places.map(\.key))
        plan.newTitles = try await NewBooks(places: places, known: known, highestNumber: highestNumber).write(
            to: folder)
        try plan.save(folder)
        places.sort { $0.id < $1.id }
        let inArrivalOrder = try BookFileWriter(path: Self.arrivalOrder(folder).path)
        let list = snapshot.works.list()
        for (id, place, key) in places {
            guard let position = try snapshot.works.list().index(of: id) else {
                throw Failure("The library has no row for \(id).")
            }
            inArrivalOrder.append(try book(list[position], Int(place / Book.step) - 1, key, snapshot))
        }
    }

    private func book(_ item: WorkListItem, _ rank: Int, _ key: [UInt8], _ snapshot: Snapshot) throws -> Book {
        guard let details = try snapshot.works.details(item.id) else {
            throw Failure("The library has a row for \(item.id), and no work.")
        }
        let full = FullWork(details)
        let row = ListRow(item)
        return Book(
            place: Int64(rank + 1) * Book.step, key: key, row: row, text: SearchText.of(row, full.work), newAuthors: [],
            full: full)
    }

    /// As many letters of a title, three or less, as fifty titles or more begin with.
    private func choosePrefix(_ plan: inout Plan, _ snapshot: Snapshot, _ keys: [[UInt8]]) throws {
        let titles = plan.anchors[(plan.anchors.count / 2)...].map { $0.title.lowercased() }
        for prefix in [3, 2, 1].lazy.flatMap({ count in titles.map { String($0.prefix(count)) } }) {
            let list = snapshot.works.list(.titled(prefix))
            guard prefix.allSatisfy({ ("a"..."z").contains($0) }), list.count >= 50,
                let first = try snapshot.works.list().index(of: list[0].id)
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

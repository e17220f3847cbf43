import BookDB
import Foundation

/// Books to insert that no store has yet. They are invented like those of the library, and file all over its list.
struct NewBooks {
    /// The library's rows in title order.
    let places: [(id: ID<Work>, place: Int64, key: [UInt8])]
    /// Some of the library's works with their authors: seven new books of ten are by these.
    let known: [(row: ListRow, authors: [AuthorRecord])]
    /// The highest number that a record of the library has.
    let highestNumber: Int64

    static let count = 10_000
    private static let seed: UInt64 = 11
    private static let countOfRound = 2000

    /// In the order they are inserted, which is not that of their titles.
    static func file(_ folder: String) -> BookFile { BookFile(path: folder + "/new.books") }

    /// Those that are inserted in a round.
    static func ofRound(_ round: Int, in folder: String) throws -> [Book] {
        var file = file(folder)
        file.limit = (round + 1) * countOfRound
        var books: [Book] = []
        try file.forEachBatch { batch, _ in books += batch }
        return Array(books.suffix(countOfRound))
    }

    /// Writes the books to their file.
    ///
    /// - Returns: some of their titles with the places where they file.
    func write(to folder: String) async throws -> [FiledTitle] {
        let store = try await BookStore.sample(works: Self.count, seed: Self.seed)
        let snapshot = store.snapshot
        var filed: [ID<Work>: (item: WorkListItem, title: FiledTitle)] = [:]
        var (lastPlace, countThere): (Int64, Int64) = (-1, 0)
        try TitleOrder(snapshot: snapshot).forEach { step in
            let place = placeBefore(step.key)
            countThere = place == lastPlace ? countThere + 1 : 1
            lastPlace = place
            let title = FiledTitle(
                title: step.item.title, placeBefore: place, number: countThere, key: step.key)
            filed[step.item.id] = (step.item, title)
        }
        let writer = try BookFileWriter(
            path: Self.file(folder).path, knownAuthors: Set(known.flatMap { $0.authors.map(\.id) }))
        var titles: [FiledTitle] = []
        var number = highestNumber
        for (index, id) in filed.keys.sorted().enumerated() {
            guard let (item, title) = filed[id], let details = try snapshot.works.details(id) else { continue }
            writer.append(book(index, FullWork(details), item, title, &number))
            if index.isMultiple(of: Self.count / Plan.anchorCount) { titles.append(title) }
        }
        return titles
    }

    /// The place of the last row that is filed before a key.
    private func placeBefore(_ key: [UInt8]) -> Int64 {
        var range = 0..<places.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if places[middle].key.lexicographicallyPrecedes(key) {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound == 0 ? 0 : places[range.lowerBound - 1].place
    }

    /// The book under numbers higher than all of the library's, as new records have them. Three of ten books are by new authors.
    private func book(
        _ index: Int, _ invented: FullWork, _ item: WorkListItem, _ title: FiledTitle, _ number: inout Int64
    ) -> Book {
        func next() -> Int64 {
            number += 1
            return number
        }
        var full = invented
        var names = item.authors
        if index % 10 < 3 {
            for index in full.authors.indices { full.authors[index].id = next() }
        } else {
            let other = known[index * 7919 % known.count]
            full.authors = other.authors
            names = other.row.authors
        }
        full.work.id = next()
        full.work.authors = full.authors.map(\.id)
        for index in full.editions.indices {
            full.editions[index].id = next()
            full.editions[index].work = full.work.id
        }
        full.entry?.work = full.work.id
        let row = ListRow(
            id: full.work.id, title: item.title, authors: names, coverURL: item.coverURL, year: item.year,
            status: Int(item.status.rawValue), rating: item.rating.map { Int($0.quarterStars) })
        return Book(
            place: title.place, key: title.key, row: row, text: SearchText.of(row, full.work), newAuthors: [],
            full: full)
    }
}

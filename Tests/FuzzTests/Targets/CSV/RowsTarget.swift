@testable import BookDB
@testable import RecordStore
@testable import BookImport

extension FuzzTarget {
    /// Rows under the header of each dialect: whatever they hold, they become books or are rejected, and what is made of a
    /// book fits the library.
    static let rows = FuzzTarget(
        name: "rows", summary: "rows of book lists in every dialect", byteLimit: 2048
    ) { bytes in
        var reader = ByteReader(bytes)
        let header = headers[reader.choice(headers.count)]
        var csv = CSVReader()
        var record = CSVRecord()
        csv.append(header + reader.remainder())
        csv.finish()
        guard try csv.next(into: &record) else { throw FuzzFinding("the header is gone") }
        let plan = try RowPlan(header: record, name: "books.csv")
        let rows = RowReader(plan: plan)
        while try csv.next(into: &record) {
            guard case .book(let book, let warnings, _) = rows.read(record) else { continue }
            try claim(warnings.allSatisfy { !$0.isEmpty }, "a warning without words")
            try claim(!book.title.isEmpty, "a book without a title")
        }
    }
}

private let headers: [[UInt8]] = [
    """
    Book Id,Title,Author,Author l-f,Additional Authors,ISBN,ISBN13,My Rating,Average Rating,Publisher,Binding,\
    Number of Pages,Year Published,Original Publication Year,Date Read,Date Added,Bookshelves,\
    Bookshelves with positions,Exclusive Shelf,My Review,Spoiler,Private Notes,Read Count,Owned Copies

    """,
    """
    Title,Authors,Contributors,ISBN/UID,Format,Read Status,Date Added,Last Date Read,Dates Read,Read Count,Moods,\
    Pace,Star Rating,Review,Tags,Owned?

    """,
    """
    book_id,goodreads_book_id,best_book_id,work_id,books_count,isbn,isbn13,authors,original_publication_year,\
    original_title,title,language_code,average_rating,ratings_count,image_url,small_image_url

    """,
    "title,author,isbn,year,rating,status,publisher,pages,language,notes,tags\n",
].map { Array($0.utf8) }

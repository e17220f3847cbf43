extension Dialect {
    /// The library export of Goodreads: 31 columns until about 2021, 24 since.
    ///
    /// `Book Id` is the number of an edition. `My Rating` 0 is none. `Exclusive Shelf` is the status, or a shelf of
    /// the reader's own; `Bookshelves` are the other shelves. ISBNs have been written in three ways over the years.
    static let goodreads = Dialect(
        .goodreads, name: "Goodreads CSV",
        signature: ["Book Id", "Title", "Author", "Author l-f", "Exclusive Shelf"],
        columns: [
            "Book Id": .sourceID,
            "Title": .title,
            "Author": .authors,
            "Author l-f": .authorSort,
            "Additional Authors": .moreAuthors,
            "ISBN": .isbn,
            "ISBN13": .isbn,
            "My Rating": .rating,
            "Publisher": .publisher,
            "Binding": .format,
            "Number of Pages": .pages,
            "Year Published": .year,
            "Original Publication Year": .firstYear,
            "Date Read": .dateRead,
            "Date Added": .dateAdded,
            "Bookshelves": .tags,
            "Exclusive Shelf": .status,
            "My Review": .review,
            "Private Notes": .notes,
            "Read Count": .readCount,
            "Owned Copies": .owned,
        ],
        source: "goodreads",
        habits: [.seriesInTitle, .listedAuthors, .wholeRows])
}

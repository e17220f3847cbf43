extension Dialect {
    /// `books.csv` of goodbooks-10k: a catalogue of ten thousand works, without a reader.
    ///
    /// A row is known by `goodreads_book_id`, which is unique here and the same number as `Book Id` in a reader's own
    /// Goodreads export, so that importing both meets in one work. `book_id` is only a rank, and `work_id` groups
    /// editions the file does not hold. `isbn13` went through a floating-point number and identifies nothing: left out.
    static let goodbooks = Dialect(
        .goodbooks, name: "goodbooks-10k CSV",
        signature: ["goodreads_book_id", "work_id", "authors", "original_publication_year", "title"],
        columns: [
            "goodreads_book_id": .sourceID,
            "isbn": .isbn,
            "authors": .authors,
            "original_publication_year": .firstYear,
            "original_title": .originalTitle,
            "title": .title,
            "language_code": .language,
            "image_url": .cover,
        ],
        source: "goodreads",
        habits: [.seriesInTitle, .lostZeros, .listedAuthors, .wholeRows])
}

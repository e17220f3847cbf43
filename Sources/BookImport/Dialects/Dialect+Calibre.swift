extension Dialect {
    /// The catalogue that calibre writes as CSV. The names in a cell are as shown, with commas between, whatever the sort names have.
    static let calibre = Dialect(
        .calibre, name: "calibre CSV",
        signature: ["title_sort", "author_sort", "library_name", "uuid"],
        columns: [
            "title": .title,
            "title_sort": .sortTitle,
            "authors": .authors,
            "author_sort": .authorSort,
            "isbn": .isbn,
            "identifiers": .sourceID,
            "publisher": .publisher,
            "pubdate": .year,
            "languages": .language,
            "series": .series,
            "series_index": .seriesNumber,
            "comments": .description,
            "tags": .tags,
            "rating": .rating,
            "timestamp": .dateAdded,
        ],
        source: nil,
        habits: [.listedAuthors])
}

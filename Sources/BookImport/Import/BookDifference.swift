import BookDB

/// Something a row says otherwise than the library.
struct BookDifference: Sendable {
    let field: BookField
    let kept: String
    let given: String
}

extension BookField {
    /// What tells one book from another where nobody wrote them.
    static let bibliographic: Set<BookField> = [
        .title, .subtitle, .originalTitle, .series, .language, .firstYear, .publisher, .pages, .format, .year, .isbn,
    ]
}

extension ImportedBook {
    /// What the book says otherwise than a work and one of its editions. Of what one side does not say nothing differs.
    func differences(from work: Work, _ edition: Edition?) -> [BookDifference] {
        var list = DifferenceList()
        list.compare(.title, work.title, title)
        list.compare(.subtitle, work.subtitle, subtitle)
        list.compare(.originalTitle, work.originalTitle, originalTitle)
        list.compare(.sortTitle, work.sortTitle, sortTitle)
        list.compare(.language, work.language, language) { LanguageCode.isSame($0, $1) }
        list.compare(.firstYear, work.firstPublicationYear, firstPublicationYear)
        list.compare(.cover, work.coverURL, coverURL)
        list.compare(.description, work.description, description)
        for given in series {
            let kept = work.series.first { $0.name.lowercased() == given.name.lowercased() }
            list.compare(.series, kept?.number, given.number)
        }
        if let edition {
            list.compare(.publisher, edition.publisher, publisher)
            list.compare(.pages, edition.pageCount, pageCount)
            list.compare(.format, edition.format, format) { $0.lowercased() == $1.lowercased() }
            list.compare(.year, edition.publicationYear, publicationYear)
            list.compare(.isbn, edition.unparsedISBN, unparsedISBN)
        }
        return list.differences
    }

    /// What the book says otherwise than the reader's entry.
    ///
    /// - Parameter givesAllTags: whether a tag that the book has not is one that its source has not.
    func differences(from entry: UserLibraryEntry, givesAllTags: Bool) -> [BookDifference] {
        var list = DifferenceList()
        list.compare(.status, entry.status.name, status?.name)
        list.compare(.rating, entry.rating?.description, rating?.description)
        list.compare(.dateStarted, entry.dateStarted?.description, dateStarted?.description)
        list.compare(.dateRead, entry.dateFinished?.description, dateFinished?.description)
        list.compare(.readCount, entry.readCount, readCount)
        list.compare(.notes, entry.notes, notes)
        list.compare(.review, entry.review, review)
        list.compare(.owned, entry.isOwned, isOwned)
        let gone = givesAllTags ? entry.tags.filter { tag in !tags.contains(tag) } : []
        if !gone.isEmpty { list.add(.tags, gone.joined(separator: ", "), "") }
        return list.differences
    }
}

private struct DifferenceList {
    private(set) var differences: [BookDifference] = []

    private static let shownCount = 80

    mutating func compare<Value: Equatable>(
        _ field: BookField, _ kept: Value?, _ given: Value?, _ isSame: (Value, Value) -> Bool = { $0 == $1 }
    ) {
        guard let kept, let given, !isSame(kept, given) else { return }
        add(field, "\(kept)", "\(given)")
    }

    mutating func add(_ field: BookField, _ kept: String, _ given: String) {
        differences.append(BookDifference(field: field, kept: Self.shortened(kept), given: Self.shortened(given)))
    }

    private static func shortened(_ text: String) -> String {
        text.count > shownCount ? text.prefix(shownCount) + "…" : text
    }
}

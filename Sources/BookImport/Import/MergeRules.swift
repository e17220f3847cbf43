import BookDB

extension Work {
    /// Fills what is empty from a row about the same work.
    mutating func fill(from book: ImportedBook) {
        subtitle = subtitle ?? book.subtitle
        originalTitle = originalTitle ?? book.originalTitle
        sortTitle = sortTitle ?? book.sortTitle
        language = language ?? book.language
        firstPublicationYear = firstPublicationYear ?? book.firstPublicationYear
        coverURL = coverURL ?? book.coverURL
        description = description ?? book.description
        subjects.appendMissing(book.subjects)
        for membership in book.series {
            let name = membership.name.lowercased()
            if let index = series.firstIndex(where: { $0.name.lowercased() == name }) {
                series[index].number = series[index].number ?? membership.number
            } else {
                series.append(membership)
            }
        }
    }
}

extension Edition {
    /// True when a book of the same work may well be this edition: nothing known about both differs.
    func couldBe(_ book: ImportedBook) -> Bool {
        if !isbns.isEmpty, !book.isbns.isEmpty { return isbns.contains { book.isbns.contains($0) } }
        if let format, let other = book.format, format.lowercased() != other.lowercased() { return false }
        if let publicationYear, let other = book.publicationYear, publicationYear != other { return false }
        if let language, let other = book.language, !LanguageCode.isSame(language, other) { return false }
        return true
    }

    /// Fills what is empty from a row about the same edition.
    mutating func fill(from book: ImportedBook) {
        isbns.appendMissing(book.isbns)
        unparsedISBN = unparsedISBN ?? book.unparsedISBN
        publisher = publisher ?? book.publisher
        pageCount = pageCount ?? book.pageCount
        format = format ?? book.format
        publicationYear = publicationYear ?? book.publicationYear
        language = language ?? book.language
        identifiers.appendMissing(book.identifiers)
    }
}

extension UserLibraryEntry {
    /// Takes over what a row says about the reader; `BookPlacer` has the rules.
    mutating func fill(from book: ImportedBook) {
        let (isNewer, isOlder) =
            if let dateFinished, let other = book.dateFinished {
                (other > dateFinished, other < dateFinished)
            } else { (false, false) }
        // Who says no day says nothing against a status with one.
        let isUndated = dateFinished != nil && book.dateFinished == nil && status != .none
        // Who reads again what was finished on that day is told of it by rows that are older.
        let isReadAgain =
            dateFinished != nil && book.dateFinished == dateFinished && (status == .reading || status == .wantToRead)
        // A shelf of the reader's own says of the status nothing.
        if let new = book.status, new != .none,
            isNewer || (!isOlder && !isUndated && !isReadAgain && new.progress > status.progress)
        {
            status = new
        }
        if isNewer {
            rating = book.rating ?? rating
            dateStarted = book.dateStarted ?? dateStarted
            dateFinished = book.dateFinished
        } else {
            rating = rating ?? book.rating
            dateStarted = dateStarted ?? book.dateStarted
            dateFinished = dateFinished ?? book.dateFinished
        }
        readCount = max(readCount, book.readCount ?? 0)
        notes = notes ?? book.notes
        review = review ?? book.review
        tags.appendMissing(book.tags)
        isOwned = isOwned || book.isOwned == true
    }
}

extension ReadingStatus {
    /// How far reading has come; a merge never goes back.
    fileprivate var progress: Int {
        switch self {
        case .none: 0
        case .wantToRead: 1
        case .reading: 2
        case .paused, .abandoned: 3
        case .read: 4
        }
    }
}

extension Array where Element: Hashable {
    fileprivate mutating func appendMissing(_ elements: [Element]) {
        var seen = Set(self)
        for element in elements where seen.insert(element).inserted { append(element) }
    }
}

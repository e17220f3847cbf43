import BookDB

/// A work of the library that an imported book is about, and the edition of it where that is known too.
struct BookMatch {
    var work: Work
    var editions: [Edition]

    /// Nil when only the work is the same.
    var edition: Edition?

    var evidence: BookPlacement.Evidence
}

extension LibraryTransaction {
    /// Looks for the work a book is about, by the most certain evidence first.
    ///
    /// 1. An identifier of a source the book has, when the title can be that of the same book: the same edition. Of a source that
    ///    everybody knows, an author in common is enough.
    /// 2. An ISBN of the book, when the titles have a word in common: publishers use numbers again, and the volumes of a
    ///    boxed set may share one.
    /// 3. The same title by the same author, unless language, volume or subtitle contradict.
    /// 4. Without an author, a work without one of which everything that the row says is known already, and no other row of the
    ///    import has been: a title alone tells nothing apart.
    ///
    /// Two identifiers of one source are two works, whatever else agrees: the source knows them apart.
    func match(
        for book: ImportedBook, isOfKnownSource: Bool, unclaimed: (ID<Work>) -> Bool, conflicts: inout [String]
    ) throws(LibraryError) -> BookMatch? {
        for identifier in book.identifiers {
            var stranger: Work?
            for found in try works(withSource: identifier) {
                guard let match = try match(found.work, found.edition, .sourceIdentifier) else { continue }
                if match.couldHaveTitle(of: book) { return match }
                if isOfKnownSource, try sharesAuthor(match.work, book) { return match }
                stranger = match.work
            }
            if let stranger {
                conflicts.append(
                    "\(identifier.value) of \(identifier.source) is “\(stranger.title)” in the library; kept as two works"
                )
            }
        }
        var strangers: [(isbn: ISBN, title: String)] = []
        for isbn in book.isbns {
            var stranger: Work?
            // A column that was filled down gives every row one ISBN: titles tell those works apart.
            for found in try works(withISBN: isbn).prefix(Self.maximumCandidateCount) {
                guard let match = try match(found.work, found.edition, .isbn) else { continue }
                guard !match.isKnownOtherwise(than: book) else { continue }
                if match.couldHaveTitle(of: book) { return match }
                stranger = match.work
            }
            if let stranger { strangers.append((isbn, stranger.title)) }
        }
        let match = book.authors.isEmpty ? try matchWithoutAuthor(of: book, unclaimed) : try matchByTitle(of: book)
        // A number that the work itself has, as others do, is told once, when it comes.
        for (isbn, title) in strangers where match?.editions.contains(where: { $0.isbns.contains(isbn) }) != true {
            conflicts.append("ISBN \(isbn) is that of “\(title)” in the library; kept as two works")
        }
        return match
    }

    private func sharesAuthor(_ work: Work, _ book: ImportedBook) throws(LibraryError) -> Bool {
        for person in book.authors {
            if let author = try author(named: person.name), work.authors.contains(author) { return true }
        }
        return false
    }

    private func matchByTitle(of book: ImportedBook) throws(LibraryError) -> BookMatch? {
        // The issues of a periodical have one title, and each its number: the same row again is found by that.
        let limit = book.identifiers.isEmpty ? Int.max : Self.maximumCandidateCount
        for name in book.authors.prefix(4).map(\.name) {
            let found = try first(matching: MatchKey(title: book.title, author: name), limit: limit) {
                (id) throws(LibraryError) -> BookMatch? in
                guard let match = try match(id, nil, .titleAndAuthor),
                    MatchKey.isSameTitle(match.work.title, book.title), !match.isKnownOtherwise(than: book),
                    !match.contradicts(book)
                else { return nil }
                return match
            }
            if let found { return found }
        }
        return nil
    }

    /// So many works of one ISBN are compared with a row, and of one title and author, where it has an identifier.
    private static var maximumCandidateCount: Int { 100 }

    private func matchWithoutAuthor(
        of book: ImportedBook, _ unclaimed: (ID<Work>) -> Bool
    ) throws(LibraryError) -> BookMatch? {
        try first(matching: MatchKey(title: book.title, author: ""), where: unclaimed) {
            (id) throws(LibraryError) -> BookMatch? in
            guard var match = try match(id, nil, .sameInEverything), match.work.authors.isEmpty,
                !match.isKnownOtherwise(than: book),
                let edition = match.editions.first(where: { match.holds(book, $0) })
            else { return nil }
            match.edition = edition
            return match
        }
    }

    private func match(
        _ workID: ID<Work>, _ editionID: ID<Edition>?, _ evidence: BookPlacement.Evidence
    ) throws(LibraryError) -> BookMatch? {
        guard let work = try work(workID) else { return nil }
        let editions = try editions(of: workID)
        return BookMatch(
            work: work, editions: editions, edition: editions.first { $0.id == editionID }, evidence: evidence)
    }
}

extension BookMatch {
    /// True when a source that knows the book knows this work by another identifier.
    fileprivate func isKnownOtherwise(than book: ImportedBook) -> Bool {
        editions.contains { edition in
            edition.identifiers.contains { known in
                book.identifiers.contains { $0.source == known.source && $0.value != known.value }
            }
        }
    }

    /// True when both have a word of some weight in their titles; the same title, where one has no such word.
    fileprivate func couldHaveTitle(of book: ImportedBook) -> Bool {
        let ours = [work.title, work.originalTitle] + editions.map(\.title)
        let theirs = [book.title, book.originalTitle]
        let words = (Self.words(ours), Self.words(theirs))
        if words.0.isEmpty || words.1.isEmpty { return !Self.keys(ours).isDisjoint(with: Self.keys(theirs)) }
        return !words.0.isDisjoint(with: words.1)
    }

    private static func words(_ titles: [String?]) -> Set<ArraySlice<UInt8>> {
        titles.reduce(into: []) { $0.formUnion($1.map { words($0) } ?? []) }
    }

    private static func keys(_ titles: [String?]) -> Set<[UInt8]> {
        Set(titles.compactMap { $0.map { MatchKey(title: $0, author: "").bytes } })
    }

    /// True when the work and an edition of it say all that the book says, but for what the reader did with it.
    fileprivate func holds(_ book: ImportedBook, _ edition: Edition) -> Bool {
        var (filledWork, filledEdition) = (work, edition)
        filledWork.fill(from: book)
        filledEdition.fill(from: book)
        return filledWork == work && filledEdition == edition
            && !book.differences(from: work, edition).contains { BookField.bibliographic.contains($0.field) }
    }

    /// Folded as titles are compared, without a leading article and without one-letter words.
    private static func words(_ title: String) -> Set<ArraySlice<UInt8>> {
        let key = MatchKey(title: title, author: "").bytes
        let words = key.split { $0 <= 0x20 }
        return Set(words.count > 1 ? words.filter { $0.count > 1 && !isFunctionWord($0) } : words)
    }

    /// Words that any two titles may share.
    private static func isFunctionWord(_ word: ArraySlice<UInt8>) -> Bool {
        functionWords.contains(String(decoding: word, as: UTF8.self))
    }

    private static let functionWords: Set = [
        "the", "of", "and", "an", "in", "to", "for", "on", "with", "from", "at", "by", "vol", "volume", "book", "part",
        "der", "die", "das", "und", "von", "ein", "eine", "des", "im", "band", "teil",
        "le", "la", "les", "de", "du", "et", "un", "une", "tome", "el", "los", "las", "del", "y", "en", "tomo",
    ]

    /// True when the same title by the same author is another work still: in another language, another volume, or with another subtitle.
    fileprivate func contradicts(_ book: ImportedBook) -> Bool {
        if let ours = work.language, let theirs = book.language, !LanguageCode.isSame(ours, theirs) { return true }
        if let ours = work.subtitle, let theirs = book.subtitle, !isSameSubtitle(ours, theirs, of: book) { return true }
        // A source may write the volume into the title alone, or in both places and not alike.
        let ours = Self.numbers(work.series + SeriesBracket(work.title).series)
        let theirs = Self.numbers(book.series + SeriesBracket(book.title).series)
        return theirs.contains { series, numbers in ours[series].map(numbers.isDisjoint) ?? false }
    }

    /// Where one source cuts a subtitle short, it is the same still.
    private func isSameSubtitle(_ ours: String, _ theirs: String, of book: ImportedBook) -> Bool {
        if MatchKey.isSameTitle("\(book.title): \(ours)", "\(book.title): \(theirs)") { return true }
        let (ours, theirs) = (Self.words(inOrderOf: ours), Self.words(inOrderOf: theirs))
        return ours.starts(with: theirs) || theirs.starts(with: ours)
    }

    private static func words(inOrderOf text: String) -> [ArraySlice<UInt8>] {
        MatchKey(title: text, author: "").bytes.split { $0 <= 0x20 }
    }

    /// The numbers of each series that has any, by its name in small letters.
    private static func numbers(_ series: [SeriesMembership]) -> [String: Set<String>] {
        series.reduce(into: [:]) { numbers, membership in
            if let number = membership.number { numbers[membership.name.lowercased(), default: []].insert(number) }
        }
    }
}

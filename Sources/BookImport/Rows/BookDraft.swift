import BookDB

/// A book as its columns arrive, in whatever order they stand.
struct BookDraft {
    private(set) var warnings: [String] = []

    private let plan: RowPlan
    private var book = ImportedBook(title: "")
    private var authorSort: String?
    private var moreAuthors: [ImportedBook.Person] = []
    private var seriesNumber: String?
    private var shelf: (name: String, isCustom: Bool)?

    init(plan: RowPlan) {
        self.plan = plan
    }

    /// Whether the columns so far say all there is to say of a field. Of one that joins columns they never do.
    func has(_ field: BookField) -> Bool {
        switch field {
        case .title: !book.title.isEmpty
        case .subtitle: book.subtitle != nil
        case .originalTitle: book.originalTitle != nil
        case .sortTitle: book.sortTitle != nil
        case .authors: !book.authors.isEmpty
        case .authorSort: authorSort != nil
        case .publisher: book.publisher != nil
        case .pages: book.pageCount != nil
        case .format: book.format != nil
        case .year: book.publicationYear != nil
        case .firstYear: book.firstPublicationYear != nil
        case .language: book.language != nil
        case .series: !book.series.isEmpty
        case .seriesNumber: seriesNumber != nil
        case .cover: book.coverURL != nil
        case .description: book.description != nil
        case .status: book.status != nil
        case .rating: book.rating != nil
        case .dateAdded: book.dateAdded != nil
        case .dateStarted: book.dateStarted != nil
        case .dateRead: book.dateFinished != nil
        case .readCount: book.readCount != nil
        case .owned: book.isOwned != nil
        case .notes: book.notes != nil
        case .review: book.review != nil
        case .moreAuthors, .isbn, .subjects, .sourceID, .tags: false
        }
    }

    /// Takes the text of a column. Where several columns are about one field the first that says something wins,
    /// except for fields that join columns.
    ///
    /// - Parameter index: of the column.
    mutating func take(_ text: String, as field: BookField, at index: Int) {
        switch field {
        case .title: if book.title.isEmpty { book.title = CleanText.line(text) ?? "" }
        case .subtitle: book.subtitle = book.subtitle ?? CleanText.line(text)
        case .originalTitle: book.originalTitle = book.originalTitle ?? CleanText.line(text)
        case .sortTitle: book.sortTitle = book.sortTitle ?? CleanText.line(text)
        case .authors: takeAuthors(text, isInverted: plan.invertedColumns.contains(index))
        case .authorSort: authorSort = authorSort ?? CleanText.line(text)
        case .moreAuthors: moreAuthors += people(text, isInverted: plan.invertedColumns.contains(index))
        case .isbn: takeISBN(text)
        case .publisher: book.publisher = book.publisher ?? CleanText.line(text)
        case .pages: book.pageCount = book.pageCount ?? number(text, "page count", from: 1)
        case .format: book.format = book.format ?? CleanText.line(text)
        case .year: book.publicationYear = book.publicationYear ?? year(text)
        case .firstYear: book.firstPublicationYear = book.firstPublicationYear ?? year(text)
        case .language: book.language = book.language ?? LanguageCode.normalised(text)
        case .series: takeSeries(text)
        case .seriesNumber: seriesNumber = seriesNumber ?? CleanText.line(text)
        case .cover: takeCover(text)
        case .description: book.description = book.description ?? CleanText.prose(text)
        case .subjects: Self.append(CleanText.list(text, separatedBy: Self.listSeparators), to: &book.subjects)
        case .sourceID: takeIdentifiers(text)
        case .status: takeStatus(text)
        case .rating: takeRating(text)
        case .dateAdded: book.dateAdded = book.dateAdded ?? day(text, at: index)
        case .dateStarted: book.dateStarted = book.dateStarted ?? day(text, at: index)
        case .dateRead: book.dateFinished = book.dateFinished ?? day(text, at: index)
        case .readCount: book.readCount = book.readCount ?? number(text, "number of readings", from: 0)
        case .owned: takeOwned(text)
        case .tags: Self.append(CleanText.list(text, separatedBy: Self.listSeparators), to: &book.tags)
        case .notes: book.notes = book.notes ?? CleanText.prose(text)
        case .review: book.review = book.review ?? CleanText.prose(text)
        }
    }

    /// The book, when the row has a title.
    mutating func finished() -> ImportedBook? {
        guard !book.title.isEmpty else { return nil }
        if plan.dialect.habits.contains(.seriesInTitle), book.series.isEmpty {
            let bracket = SeriesBracket(book.title)
            book.title = bracket.title
            book.series = bracket.series
        }
        takeSeriesNumber()
        if book.originalTitle == book.title { book.originalTitle = nil }
        takeSortNames()
        for person in moreAuthors where !book.authors.contains(where: { $0.name == person.name }) {
            book.authors.append(person)
        }
        if let shelf {
            // The status has its own place; only a shelf of the reader's own says more and stays as a tag.
            book.tags.removeAll { $0 == shelf.name }
            if shelf.isCustom { book.tags.append(shelf.name) }
        }
        return book
    }
}

// MARK: One field each

extension BookDraft {
    private static let listSeparators: Set<Character> = [",", ";", "|", "\n", "\r", "\r\n"]

    private static func append(_ values: [String], to list: inout [String]) {
        var seen = Set(list)
        for value in values where seen.insert(value).inserted { list.append(value) }
    }

    /// The column has a name for each author, or that of the first.
    private mutating func takeSortNames() {
        guard let authorSort, !book.authors.isEmpty else { return }
        let names = authorSort.split(separator: " & ").compactMap { CleanText.line(String($0)) }
        for (index, name) in (names.count == book.authors.count ? names : [authorSort]).enumerated()
        where book.authors[index].sortName == nil {
            book.authors[index].sortName = PersonList.sortName(name, of: book.authors[index].name)
        }
    }

    private mutating func takeAuthors(_ text: String, isInverted: Bool) {
        guard book.authors.isEmpty else { return }
        book.authors = people(text, isInverted: isInverted)
    }

    private func people(_ text: String, isInverted: Bool) -> [ImportedBook.Person] {
        let people =
            plan.dialect.habits.contains(.listedAuthors)
            ? PersonList.listed(text) : PersonList.guessed(text, isInverted: isInverted)
        // `-` and `???` are nobody; as authors all of them would be one.
        return people.filter { person in person.name.contains { $0.isLetter || $0.isNumber } }
    }

    private mutating func takeISBN(_ field: String) {
        guard !Placeholder.isOne(field) else { return }
        let text = plan.dialect.habits.contains(.lostZeros) ? Self.withLostZeros(field) : field
        do {
            add(try ISBN(text))
        } catch .empty {
            return
        } catch {
            let pieces = text.split { $0.isWhitespace || ",;|".contains($0) }
            let found = pieces.compactMap { try? ISBN($0) }
            if found.count == pieces.count, pieces.count > 1 {
                for isbn in found { add(isbn) }
            } else {
                let shown = Self.bare(field)
                warnings.append("ISBN \(shown): \(error); kept as text")
                book.unparsedISBN = book.unparsedISBN ?? shown
            }
        }
    }

    private mutating func add(_ isbn: ISBN) {
        if !book.isbns.contains(isbn) { book.isbns.append(isbn) }
    }

    /// Six to nine characters of an ISBN-10 that a spreadsheet took for a number, as the ten they were.
    private static func withLostZeros(_ text: String) -> String {
        let places = text.trimmingBlanks()
        return 6...9 ~= places.utf8.count ? String(repeating: "0", count: 10 - places.utf8.count) + places : text
    }

    /// The text without the formula a spreadsheet made of it: `="978…"`.
    private static func bare(_ text: String) -> String {
        let trimmed = text.trimmingBlanks()
        guard trimmed.hasPrefix("=\""), trimmed.hasSuffix("\""), trimmed.count > 3 else { return String(trimmed) }
        return String(trimmed.dropFirst(2).dropLast())
    }

    /// A whole number. One below the minimum is how sources write that they do not know: 0 pages.
    private mutating func number(_ text: String, _ what: String, from minimum: Int) -> Int? {
        let digits = Self.withoutFraction(text)
        guard !digits.isEmpty else { return nil }
        guard let number = Int(digits), -1_000_000...1_000_000 ~= number else {
            warnings.append("“\(digits.prefix(40))” is no \(what); left out")
            return nil
        }
        return number >= minimum ? number : nil
    }

    private mutating func year(_ text: String) -> Int? {
        let digits = Self.withoutFraction(text)
        guard !digits.isEmpty, digits != "0", digits != "?", !DayText.saysNone(digits) else { return nil }
        guard let year = Int(Self.withPlainSign(digits)) ?? Self.year(within: digits), -9999...9999 ~= year else {
            warnings.append("“\(digits.prefix(40))” is no year; left out")
            return nil
        }
        return year
    }

    /// `2008` of `2008.0`: it went through a floating-point number. `1.000` may be a thousand, and stays.
    private static func withoutFraction(_ text: String) -> Substring {
        let digits = text.trimmingBlanks()
        guard let point = digits.firstIndex(of: "."), digits[point...].dropFirst().allSatisfy({ $0 == "0" }),
            digits[point...].count != 4 || digits[..<point].count > 3 || digits[..<point] == "0"
        else { return digits }
        return digits[..<point]
    }

    /// A minus as printers set it becomes one that a number begins with.
    private static func withPlainSign(_ text: Substring) -> String {
        text.hasPrefix("\u{2212}") ? "-" + text.dropFirst() : String(text)
    }

    /// The year of a date, `2008-05-01` or `May 2008`: the only run of four digits. Of `1750 BC` the year before our era.
    private static func year(within text: Substring) -> Int? {
        let runs = text.split { !$0.isASCII || !$0.isNumber }
        if runs.count == 1, let year = Int(runs[0]), saysBeforeOurEra(text[runs[0].endIndex...]) { return -year }
        let years = runs.filter { $0.count == 4 }
        guard years.count == 1 else { return nil }
        // What stands behind a minus and no other number may be a year before our era, or the end of a span.
        let before = text[..<years[0].startIndex]
        let isBehindMinus = before.last.map { "-\u{2212}".contains($0) } ?? false
        // Behind the name of a month it is neither.
        let isBehindWord = before.dropLast().last?.isLetter ?? false
        guard !isBehindMinus || isBehindWord || years[0].startIndex != runs[0].startIndex else { return nil }
        return saysBeforeOurEra(text[years[0].endIndex...]) ? nil : Int(years[0])
    }

    private static func saysBeforeOurEra(_ text: Substring) -> Bool {
        ["bc", "bce", "vchr", "vuz", "avjc", "ac", "aec"].contains(text.lowercased().filter(\.isLetter))
    }

    private mutating func takeSeries(_ text: String) {
        guard book.series.isEmpty else { return }
        book.series = text.split { $0 == ";" || $0.isNewline }.compactMap { SeriesBracket.membership($0) }
    }

    /// Volumes of one title are told apart by nothing but their numbers.
    private mutating func takeSeriesNumber() {
        guard let text = seriesNumber else { return }
        let number = text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        if book.series.isEmpty {
            guard plan.dialect.habits.contains(.numberedTitles), !Placeholder.isOne(number) else { return }
            book.series = [SeriesMembership(name: book.title, number: number)]
        } else if book.series.count == 1 {
            book.series[0].number = book.series[0].number ?? number
        } else if book.series.contains(where: { $0.number == nil }) {
            warnings.append("number “\(number.prefix(40))” does not say in which of the series; left out")
        }
    }

    private mutating func takeCover(_ text: String) {
        let url = text.trimmingBlanks()
        // Paths of the owner's disk are nothing to anybody else, and a placeholder is no cover.
        guard book.coverURL == nil, url.hasPrefix("https://") || url.hasPrefix("http://"), !url.contains("/nophoto/")
        else { return }
        book.coverURL = String(url)
    }

    /// `12345`, or `goodreads:12345,isbn:9780553283686` where a column says whose numbers they are.
    private mutating func takeIdentifiers(_ text: String) {
        for part in CleanText.list(text, separatedBy: [",", ";"]) where !Placeholder.isOne(part) {
            guard let colon = part.firstIndex(of: ":"), colon > part.startIndex else {
                if let source = plan.source {
                    add(SourceIdentifier(source: source, value: part))
                } else {
                    warnings.append("identifier “\(part.prefix(40))” does not say whose it is; left out")
                }
                continue
            }
            let source = part[..<colon].trimmingBlanks().lowercased()
            let value = part[part.index(after: colon)...].trimmingBlanks()
            if source == "isbn" {
                takeISBN(String(value))
            } else if !Placeholder.isOne(value) {
                add(SourceIdentifier(source: source, value: String(value)))
            }
        }
        book.isOnSeveralRows = book.isOnSeveralRows || plan.repeatedIdentifiers.contains(text.hashValue)
    }

    private mutating func add(_ identifier: SourceIdentifier) {
        if !book.identifiers.contains(identifier) { book.identifiers.append(identifier) }
    }

    private mutating func takeStatus(_ text: String) {
        guard book.status == nil, let name = CleanText.line(text) else { return }
        let (status, isCustom) = Shelf.status(name)
        book.status = status
        shelf = (name, isCustom)
    }

    private mutating func takeRating(_ text: String) {
        guard book.rating == nil else { return }
        let number = String(text.trimmingBlanks().map { $0 == "," ? "." : $0 })
        guard !number.isEmpty else { return }
        guard let stars = Double(number) else {
            warnings.append("“\(text.prefix(40))” is no rating; left out")
            return
        }
        if stars == 0 { return }  // how most sources write that there is none
        guard let rating = Rating(stars: stars) else {
            warnings.append("“\(number.prefix(40))” is not one to five stars; left out")
            return
        }
        book.rating = rating
        if rating.stars != stars {
            warnings.append("rating “\(number.prefix(40))” is finer than a quarter star; taken as \(rating)")
        }
    }

    private mutating func day(_ text: String, at index: Int) -> Day? {
        let trimmed = text.trimmingBlanks()
        guard !trimmed.isEmpty, !DayText.saysNone(trimmed) else { return nil }
        do {
            return try DayText.day(trimmed, plan.dates[index], points: plan.pointDates[index])
        } catch {
            warnings.append("date “\(trimmed.prefix(40))” \(error); left out")
            return nil
        }
    }

    private mutating func takeOwned(_ text: String) {
        guard book.isOwned == nil, let word = CleanText.line(text)?.lowercased() else { return }
        let isNo = ["0", "no", "n", "false", "nein", "non"].contains(Self.withoutFraction(word))
        if isNo || !Placeholder.isOne(word) { book.isOwned = !isNo }
    }
}

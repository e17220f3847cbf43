#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An endless shelf of believable books, the same for the same seed on every platform.
///
/// Multilingual titles with articles and accents, some three authors for ten works, some of them with many books,
/// series, one to three editions with right ISBNs, and what a reader did with them. Titles and names are put together
/// from words and syllables; the books do not exist. Dates come from the number of the book, never from the clock.
///
/// Cost: some four microseconds a book, and eight bytes of memory for each author.
struct SampleBooks: Sequence, IteratorProtocol, Sendable {
    let seed: UInt64
    private var number = 0
    private var authorCount = 0
    /// Who writes in which language, oldest first.
    private var authorsByLanguage = [[Int]](repeating: [], count: SampleLanguage.all.count)
    private var editionCount = 0
    private var runningSeries: [RunningSeries] = []

    private struct RunningSeries {
        var name: String
        var author: Int
        var language: Int
        var next: Int
    }

    init(seed: UInt64) {
        self.seed = seed
    }

    /// The device number of a library made from a seed, so that its identifiers are the same every time.
    static func device(seed: UInt64) -> UInt32 {
        var random = SampleRandom(seed: seed)
        return UInt32(1 + random.below(1 << 23))
    }

    /// The next so many books.
    mutating func take(_ count: Int) -> [SampleBook] {
        (0..<count).compactMap { _ in next() }
    }

    mutating func next() -> SampleBook? {
        var invent = SampleInvention(random: SampleRandom(seed: seed, number: number))
        var series = chooseSeries(&invent)
        let language = series?.language ?? invent.random.weighted(SampleLanguage.weights)
        let (authors, newAuthors) = chooseAuthors(language, series?.author, &invent)
        if series == nil, invent.random.percent(6) {
            series = beginSeries(author: authors[0], language: language, &invent)
        }
        var work = makeWork(language, series, &invent)
        let editions = (0..<1 + invent.random.weighted([70, 25, 5])).map { _ in makeEdition(of: work, &invent) }
        let entry = invent.random.percent(88) ? makeEntry(&invent) : nil
        if invent.random.percent(70), let isbn = editions.lazy.compactMap(\.isbns.first).first {
            work.coverURL = "https://covers.example.org/isbn/\(isbn)-L.jpg"
        }
        number += 1
        return SampleBook(newAuthors: newAuthors, authors: authors, work: work, editions: editions, entry: entry)
    }
}

// MARK: Authors and series

extension SampleBooks {
    /// One book in seven goes on with a series.
    private mutating func chooseSeries(_ invent: inout SampleInvention) -> RunningSeries? {
        guard !runningSeries.isEmpty, invent.random.percent(15) else { return nil }
        let index = invent.random.below(runningSeries.count)
        defer { runningSeries[index].next += 1 }
        return runningSeries[index]
    }

    private mutating func beginSeries(
        author: Int, language: Int, _ invent: inout SampleInvention
    ) -> RunningSeries {
        let series = RunningSeries(name: invent.seriesName(), author: author, language: language, next: 1)
        var following = series
        following.next += 1
        if runningSeries.count < 64 {
            runningSeries.append(following)
        } else {
            runningSeries[invent.random.below(runningSeries.count)] = following
        }
        return series
    }

    private mutating func chooseAuthors(
        _ language: Int, _ seriesAuthor: Int?, _ invent: inout SampleInvention
    ) -> (authors: [Int], new: [Author]) {
        var new: [Author] = []
        var authors: [Int] = []
        for _ in 0..<1 + invent.random.weighted([88, 10, 2]) {
            let author: Int
            if authors.isEmpty, let seriesAuthor {
                author = seriesAuthor
            } else if authorsByLanguage[language].isEmpty || invent.random.percent(30) {
                new.append(Author(invent.name(in: SampleLanguage.all[language])))
                author = authorCount
                authorCount += 1
                authorsByLanguage[language].append(author)
            } else {
                author = authorsByLanguage[language][invent.random.skewed(authorsByLanguage[language].count)]
            }
            if !authors.contains(author) { authors.append(author) }
        }
        return (authors, new)
    }
}

// MARK: Records

extension SampleBooks {
    private func makeWork(_ language: Int, _ series: RunningSeries?, _ invent: inout SampleInvention) -> Work {
        let title = invent.title(in: SampleLanguage.all[language])
        let description = invent.random.percent(25) ? invent.description() : nil
        let year = 2024 - invent.random.skewed(170)
        return Work(
            title: title.title,
            year: invent.random.percent(97) ? year : nil,
            subtitle: title.subtitle,
            originalTitle: language != 0 && invent.random.percent(10) ? invent.title(in: .english).title : nil,
            language: SampleLanguage.all[language].code,
            description: description,
            subjects: distinct(invent.random.below(4), of: SampleWords.fields, &invent),
            series: series.map { [SeriesMembership(name: $0.name, number: String($0.next))] } ?? [],
            reviewStatus: [.unreviewed, .reviewed, .needsAttention][invent.random.weighted([80, 15, 5])],
            // From 1 January 2015 on, one book about every 97 seconds.
            dateAdded: Date(timeIntervalSince1970: Double(1_420_070_400 + number * 97 + invent.random.below(97)))
        )
    }

    private mutating func makeEdition(of work: Work, _ invent: inout SampleInvention) -> Edition {
        let isbn = invent.random.percent(92) ? nextISBN() : nil
        let mistyped = isbn == nil && invent.random.percent(12) ? "978-\(invent.random.below(1_000_000_000))-?" : nil
        let year = Swift.max(work.firstPublicationYear ?? 1990, 1968) + invent.random.skewed(30)
        return Edition(
            of: .unassigned,
            isbns: isbn.map { [$0] } ?? [],
            unparsedISBN: mistyped,
            publisher: invent.random.percent(80) ? invent.random.commonElement(SampleWords.publishers) : nil,
            pageCount: invent.random.percent(85) ? 48 + invent.random.below(40) + invent.random.skewed(900) : nil,
            format: invent.random.percent(90) ? invent.random.commonElement(SampleWords.formats) : nil,
            publicationYear: Swift.min(year, 2024),
            language: work.language,
            identifiers: invent.random.percent(50)
                ? [SourceIdentifier(source: "goodreads", value: String(90_000_000 + editionCount))] : []
        )
    }

    private func makeEntry(_ invent: inout SampleInvention) -> UserLibraryEntry {
        let status: ReadingStatus = [.read, .wantToRead, .reading, .paused, .abandoned][
            invent.random.weighted([50, 38, 4, 3, 5])]
        // From 5 January 2015 on: days count from 1 January 1970.
        let started = Day(daysSince1970: Int32(16_440 + invent.random.below(3_500)))
        let finished = Day(daysSince1970: started.daysSince1970 + 1 + Int32(invent.random.skewed(60)))
        let isDone = status == .read || status == .abandoned
        let rating = Rating(quarterStars: UInt8(20 - 2 * invent.random.skewed(9)))
        let notes = invent.random.percent(3) ? invent.sentence() : nil
        let review = isDone && invent.random.percent(6) ? invent.description() : nil
        return UserLibraryEntry(
            for: .unassigned,
            status: status,
            rating: isDone && invent.random.percent(70) ? rating : nil,
            dateStarted: status != .wantToRead && invent.random.percent(60) ? started : nil,
            dateFinished: isDone && invent.random.percent(60) ? finished : nil,
            readCount: status == .read ? 1 + invent.random.weighted([90, 8, 2]) : 0,
            notes: notes,
            review: review,
            tags: distinct(invent.random.weighted([55, 30, 10, 5]), of: SampleWords.tags, &invent),
            isOwned: invent.random.percent(35)
        )
    }

    /// Every edition has an ISBN of its own: the multiplier has no factor in common with a thousand million.
    private mutating func nextISBN() -> ISBN? {
        editionCount += 1
        var start = SampleRandom(seed: seed)
        let nine = (UInt64(start.below(1_000_000_000)) + UInt64(editionCount) * 617_363_171) % 1_000_000_000
        let twelve = 978_000_000_000 + nine
        return (0..<10).lazy.compactMap { ISBN(digits: twelve * 10 + $0) }.first
    }

    private func distinct(_ count: Int, of elements: [String], _ invent: inout SampleInvention) -> [String] {
        var chosen: [String] = []
        for _ in 0..<count {
            let element = invent.random.commonElement(elements)
            if !chosen.contains(element) { chosen.append(element) }
        }
        return chosen
    }
}

import BookDB
import Foundation

/// Numbers of records as BookDB has them.
extension ID {
    var number: Int64 { Int64(bitPattern: rawValue) }

    init(_ number: Int64) { self.init(rawValue: UInt64(bitPattern: number)) }
}

extension FullWork {
    init(_ details: WorkDetails) {
        work = WorkRecord(details.work)
        authors = details.authors.map(AuthorRecord.init)
        editions = details.editions.map(EditionRecord.init)
        entry = details.entry.map(EntryRecord.init)
    }
}

extension WorkRecord {
    init(_ work: Work) {
        self.init(
            id: work.id.number, title: work.title, subtitle: work.subtitle, originalTitle: work.originalTitle,
            sortTitle: work.sortTitle, language: work.language, year: work.firstPublicationYear,
            coverURL: work.coverURL,
            description: work.description, subjects: work.subjects,
            series: work.series.map { SeriesRecord(name: $0.name, number: $0.number) },
            review: Int(work.reviewStatus.rawValue),
            added: Int((work.dateAdded.timeIntervalSince1970 * 1000).rounded()), authors: work.authors.map(\.number))
    }

    func work(by authors: [ID<Author>]) -> Work {
        Work(
            title: title, authors: authors, year: year, subtitle: subtitle, originalTitle: originalTitle,
            sortTitle: sortTitle, language: language, coverURL: coverURL, description: description, subjects: subjects,
            series: series.map { SeriesMembership(name: $0.name, number: $0.number) },
            reviewStatus: ReviewStatus(rawValue: UInt8(review)) ?? .unreviewed,
            dateAdded: Date(timeIntervalSince1970: Double(added) / 1000))
    }
}

extension AuthorRecord {
    init(_ author: Author) { self.init(id: author.id.number, name: author.name, sortName: author.sortName) }
}

extension EditionRecord {
    init(_ edition: Edition) {
        self.init(
            id: edition.id.number, work: edition.work.number, isbns: edition.isbns.map { Int($0.digits) },
            unparsedISBN: edition.unparsedISBN, title: edition.title, publisher: edition.publisher,
            pageCount: edition.pageCount, format: edition.format, year: edition.publicationYear,
            language: edition.language,
            identifiers: edition.identifiers.map { IdentifierRecord(source: $0.source, value: $0.value) })
    }

    func edition(of work: ID<Work>) -> Edition {
        Edition(
            of: work, isbns: isbns.compactMap { ISBN(digits: UInt64($0)) }, unparsedISBN: unparsedISBN, title: title,
            publisher: publisher, pageCount: pageCount, format: format, publicationYear: year, language: language,
            identifiers: identifiers.map { SourceIdentifier(source: $0.source, value: $0.value) })
    }
}

extension EntryRecord {
    init(_ entry: UserLibraryEntry) {
        self.init(
            work: entry.work.number, status: Int(entry.status.rawValue),
            rating: entry.rating.map { Int($0.quarterStars) },
            started: entry.dateStarted.map { Int($0.daysSince1970) },
            finished: entry.dateFinished.map { Int($0.daysSince1970) }, readCount: entry.readCount, notes: entry.notes,
            review: entry.review, tags: entry.tags, isOwned: entry.isOwned)
    }

    func entry(for work: ID<Work>) -> UserLibraryEntry {
        UserLibraryEntry(
            for: work, status: ReadingStatus(rawValue: UInt8(status)) ?? .none,
            rating: rating.flatMap { Rating(quarterStars: UInt8($0)) },
            dateStarted: started.map { Day(daysSince1970: Int32($0)) },
            dateFinished: finished.map { Day(daysSince1970: Int32($0)) }, readCount: readCount, notes: notes,
            review: review, tags: tags, isOwned: isOwned)
    }
}

extension ListRow {
    init(_ work: borrowing WorkRow) {
        self.init(
            id: work.id.number, title: work.title, authors: work.authors, coverURL: work.coverURL, year: work.year,
            status: Int(work.status.rawValue), rating: work.rating.map { Int($0.quarterStars) })
    }

    init(_ item: WorkListItem) {
        self.init(
            id: item.id.number, title: item.title, authors: item.authors, coverURL: item.coverURL, year: item.year,
            status: Int(item.status.rawValue), rating: item.rating.map { Int($0.quarterStars) })
    }
}

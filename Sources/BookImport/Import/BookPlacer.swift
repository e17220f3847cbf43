import BookDB
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Puts imported books into a library: as new works, or into works it has.
///
/// A merge adds and never takes away:
///
/// - Properties of the work and the edition that are empty are filled; others stay. Series, subjects, ISBNs, identifiers
///   and tags come together. Authors are filled in only when there are none, since two sources often write one name in
///   two ways. The day the work was added stays.
/// - The status moves forward only: none → want to read → reading → paused, abandoned → read. Importing an old export
///   after a new one turns nothing back.
/// - A row whose day of finishing is later than the library's is newer, and then its status, rating and days win.
/// - Otherwise rating, days, notes and review are filled when empty; the number of readings becomes the larger one.
///
/// When all that changes nothing, nothing is written; what the row says otherwise than the library is told.
struct BookPlacer: Sendable {
    /// When books without a day of their own are added.
    let now: Date

    /// Whether the source's numbers are never given to another book.
    private let isKnownSource: Bool

    /// Whether the file has a column of tags, so that a tag which a row has not is one that the source has not.
    private let givesAllTags: Bool

    /// Works without an author that rows of this import are about: each is that of one row.
    private let claimed = ClaimedWorks()

    init(_ plan: RowPlan, now: Date) {
        self.now = now
        isKnownSource = plan.isKnownSource
        givesAllTags = plan.hasColumn(.tags)
    }

    /// Puts a book into the library. A row that is refused leaves no trace: all of it can be stored, or nothing is written.
    ///
    /// - Throws: `LibraryError` when the book cannot be stored; the library then is as it was before.
    func place(
        _ book: ImportedBook, in library: inout LibraryTransaction
    ) throws(LibraryError) -> BookPlacement {
        var conflicts: [String] = []
        var placement: BookPlacement
        let match = try library.match(
            for: book, isOfKnownSource: isKnownSource, unclaimed: { !claimed.contains($0) }, conflicts: &conflicts)
        if let match {
            placement = try merge(book, into: match, in: &library)
        } else {
            placement = try add(book, to: &library)
        }
        placement.conflicts = conflicts
        if book.authors.isEmpty { claimed.insert(placement.work) }
        return placement
    }

    private func add(
        _ book: ImportedBook, to library: inout LibraryTransaction
    ) throws(LibraryError) -> BookPlacement {
        try library.requireStorable(
            book.work(by: book.authors.map { _ in .unassigned }, addedByDefault: now), book.edition(of: .unassigned),
            book.entry(for: .unassigned), book.authors.map { Author($0.name, sortName: $0.sortName) })
        let (authors, newAuthorCount) = try library.authors(for: book)
        let id = try library.insert(book.work(by: authors, addedByDefault: now))
        try library.insert(book.edition(of: id))
        if let entry = book.entry(for: id) { try library.set(entry) }
        return BookPlacement(work: id, action: .added, editionsAdded: 1, authorsAdded: newAuthorCount)
    }

    private func merge(
        _ book: ImportedBook, into match: BookMatch, in library: inout LibraryTransaction
    ) throws(LibraryError) -> BookPlacement {
        var placement = BookPlacement(work: match.work.id, action: .identical, evidence: match.evidence)
        var work = match.work
        work.fill(from: book)
        let knownEdition = match.edition ?? match.editions.first { $0.couldBe(book) }
        var edition = knownEdition ?? book.edition(of: work.id)
        edition.fill(from: book)
        let knownEntry = book.hasReaderState ? try library.entry(of: work.id) : nil
        var entry = book.hasReaderState ? knownEntry ?? UserLibraryEntry(for: work.id) : nil
        entry?.fill(from: book)

        // Where the row names them for a work without any, or the file has a row for each author.
        let takesAuthors =
            work.authors.isEmpty
            || (book.isOnSeveralRows && match.evidence == .sourceIdentifier && book.title == work.title)
        var whole = work
        if takesAuthors { whole.authors += book.authors.map { _ in .unassigned } }
        try library.requireStorable(
            whole, edition, entry, takesAuthors ? book.authors.map { Author($0.name, sortName: $0.sortName) } : [])

        if takesAuthors {
            let (authors, newAuthorCount) = try library.authors(for: book)
            work.authors += authors.filter { author in !work.authors.contains(author) }
            placement.authorsAdded = newAuthorCount
        }
        if work != match.work {
            try library.update(work)
            placement.action = .merged
        }
        var differences = book.differences(from: work, knownEdition)
        if knownEdition == nil {
            try library.insert(edition)
            placement.editionsAdded = 1
            placement.action = .merged
        } else if edition != knownEdition {
            try library.update(edition)
            placement.action = .merged
        }
        if let entry {
            if entry != knownEntry {
                try library.set(entry)
                placement.action = .merged
            }
            differences += book.differences(from: entry, givesAllTags: givesAllTags)
        }
        if !book.authors.isEmpty, try !library.hasAuthors(of: book, work) {
            differences.append(
                BookDifference(
                    field: .authors, kept: try library.names(work.authors),
                    given: book.authors.map(\.name).joined(separator: ", ")))
        }
        placement.differences = differences
        if placement.action == .identical, !differences.isEmpty { placement.action = .differing }
        return placement
    }
}

/// Works that rows of an import are about.
private final class ClaimedWorks: Sendable {
    private let works = Mutex<Set<ID<Work>>>([])

    func contains(_ work: ID<Work>) -> Bool { works.withLock { $0.contains(work) } }

    func insert(_ work: ID<Work>) { works.withLock { _ = $0.insert(work) } }
}

extension LibraryTransaction {
    /// Whether all whom a book names are authors of a work.
    fileprivate func hasAuthors(of book: ImportedBook, _ work: Work) throws(LibraryError) -> Bool {
        for person in book.authors {
            guard let author = try author(named: person.name), work.authors.contains(author) else { return false }
        }
        return true
    }

    fileprivate func names(_ authors: [ID<Author>]) throws(LibraryError) -> String {
        var names: [String] = []
        for id in authors { if let author = try author(id) { names.append(author.name) } }
        return names.joined(separator: ", ")
    }

    /// The authors of a book, those of them that the library did not have inserted.
    fileprivate mutating func authors(
        for book: ImportedBook
    ) throws(LibraryError) -> (all: [ID<Author>], newCount: Int) {
        var all: [ID<Author>] = []
        var newCount = 0
        for person in book.authors {
            if let known = try author(named: person.name) {
                if !all.contains(known) { all.append(known) }
            } else {
                all.append(try insert(Author(person.name, sortName: person.sortName)))
                newCount += 1
            }
        }
        return (all, newCount)
    }
}

// MARK: New records

extension ImportedBook {
    fileprivate func work(by authors: [ID<Author>], addedByDefault now: Date) -> Work {
        Work(
            title: title, authors: authors, year: firstPublicationYear, subtitle: subtitle,
            originalTitle: originalTitle, sortTitle: sortTitle, language: language, coverURL: coverURL,
            description: description, subjects: subjects, series: series, dateAdded: dateAdded?.noon ?? now)
    }

    fileprivate func edition(of work: ID<Work>) -> Edition {
        Edition(
            of: work, isbns: isbns, unparsedISBN: unparsedISBN, publisher: publisher, pageCount: pageCount,
            format: format, publicationYear: publicationYear, language: language, identifiers: identifiers)
    }

    /// Nil for a row of a catalogue, which no reader has touched.
    fileprivate func entry(for work: ID<Work>) -> UserLibraryEntry? {
        guard hasReaderState else { return nil }
        var entry = UserLibraryEntry(for: work)
        entry.fill(from: self)
        return entry
    }
}

extension Day {
    /// Twelve o'clock in Greenwich: the same day almost everywhere.
    fileprivate var noon: Date {
        Date(timeIntervalSince1970: Double(daysSince1970) * 86_400 + 43_200)
    }
}

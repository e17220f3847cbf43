import Filing
import StorageEngine

/// Asking before anything is written whether all of several records can be stored.
extension LibraryTransaction {
    /// - Throws: `LibraryError.invalidValue` for the first that cannot be, as writing it would.
    package func requireStorable(
        _ work: Work, _ edition: Edition, _ entry: UserLibraryEntry?, _ authors: [Author]
    ) throws(LibraryError) {
        _ = try work.validated()
        _ = try edition.validated()
        _ = try entry?.validatedRecord(title: work.title)
        for author in authors { _ = try author.validatedRecord() }
    }
}

/// What a record must be to be stored, whichever way it comes; each gives the bytes it is stored as.
extension Work {
    /// The work as it is to be stored, and its record, which does not depend on the identifier.
    func validated() throws(LibraryError) -> (work: Work, record: [UInt8]) {
        guard !title.isBlank else { throw .invalidValue("A work needs a title.") }
        func name() -> String { "“\(title.prefix(80))”" }
        try Limits.checkYear(firstPublicationYear, "The year in which \(name()) was first published")
        guard added.isStorable else {
            throw .invalidValue(
                "The date on which \(name()) was added is no date, or further than 31,000 years from 1970.")
        }
        guard !series.contains(where: { $0.name.isBlank }) else {
            throw .invalidValue("A series of \(name()) is blank: it needs a name.")
        }
        try Limits.checkCount(of: series, "series", name())
        try Limits.checkCount(of: authors, "authors", name())
        var work = self
        work.authors = work.authors.withoutRepetitions()
        let record = work.encodedRecord()
        try Limits.checkValue(of: record.count, name())
        try Limits.checkValue(of: description?.utf8.count ?? 0, "The description of \(name())")
        return (work, record)
    }
}

extension Edition {
    func validated() throws(LibraryError) -> (edition: Edition, record: [UInt8]) {
        for identifier in identifiers {
            let byteCount = identifier.source.utf8.count + identifier.value.utf8.count
            guard !identifier.source.isEmpty, !identifier.value.isEmpty, byteCount <= Self.maximumSourceByteCount,
                !identifier.source.utf8.contains(LibraryKey.separator),
                !identifier.value.utf8.contains(LibraryKey.separator)
            else {
                throw .invalidValue(
                    "The identifier of a source is some text of up to \(Self.maximumSourceByteCount) bytes, not "
                        + "“\(identifier.source)” “\(identifier.value.prefix(80))”.")
            }
        }
        try Limits.checkYear(publicationYear, "The year of an edition")
        if let pageCount, !Limits.counts.contains(pageCount) {
            throw .invalidValue("An edition has 0 to \(Limits.counts.upperBound) pages, not \(pageCount).")
        }
        var edition = self
        edition.isbns = edition.isbns.withoutRepetitions()
        edition.identifiers = edition.identifiers.withoutRepetitions()
        let record = edition.encodedRecord()
        try Limits.checkValue(of: record.count, "An edition")
        return (edition, record)
    }

    /// Leaves room in a key of 512 bytes for the work and the edition.
    private static let maximumSourceByteCount = 400
}

extension UserLibraryEntry {
    /// - Parameter title: of the work it is for.
    func validatedRecord(title: String) throws(LibraryError) -> [UInt8] {
        guard Limits.counts.contains(readCount) else {
            throw .invalidValue("“\(title)” cannot have been read \(readCount) times.")
        }
        // Of a day in a year that begins before all days no list could say where it ends.
        guard dateFinished.map({ $0.startOfYear.map { $0.daysSince1970 > .min } ?? false }) ?? true else {
            throw .invalidValue("“\(title)” cannot have been finished as long ago as days are counted.")
        }
        guard !tags.contains(where: { $0.isBlank }) else {
            throw .invalidValue("A tag of “\(title)” is blank: a tag has a letter, a number or a sign.")
        }
        try Limits.checkCount(of: tags, "tags", "“\(title.prefix(80))”")
        let record = encodedRecord()
        try Limits.checkValue(of: record.count, "The entry of “\(title)”")
        try Limits.checkValue(of: notes?.utf8.count ?? 0, "The notes on “\(title)”")
        try Limits.checkValue(of: review?.utf8.count ?? 0, "The review of “\(title)”")
        return record
    }
}

extension Author {
    func validatedRecord() throws(LibraryError) -> [UInt8] {
        guard !name.isBlank else { throw .invalidValue("An author needs a name.") }
        let record = encodedRecord()
        try Limits.checkValue(of: record.count, "The name of an author")
        return record
    }
}

extension Limits {
    /// Of pages and readings.
    static let counts = 0...1_000_000_000

    /// Tags, series or authors of one work.
    static let namesOfAWork = 10_000

    static func checkYear(_ year: Int?, _ name: @autoclosure () -> String) throws(LibraryError) {
        guard let year, !Work.years.contains(year) else { return }
        throw .invalidValue("\(name()) is \(year); it can be \(Work.years.lowerBound) to \(Work.years.upperBound).")
    }

    static func checkCount(of names: [some Any], _ what: String, _ work: @autoclosure () -> String) throws(LibraryError)
    {
        guard names.count > namesOfAWork else { return }
        throw .invalidValue("\(work()) has \(names.count) \(what); a work has \(namesOfAWork) at most.")
    }
}

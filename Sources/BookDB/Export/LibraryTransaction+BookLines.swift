import RecordStore
import StorageEngine

extension LibraryTransaction {
    /// Takes in a line of an export under its own identifier; `nil` for one that is of no book.
    mutating func takeBook(_ line: JSONValue) throws(LibraryError) -> TakenLine? {
        switch line["type"]?.text {
        case "author"?: return try take(BookLine.author(line))
        case "work"?: return try take(BookLine.work(line))
        case "edition"?: return try take(BookLine.edition(line))
        case "entry"?: return try take(BookLine.entry(line))
        default: return nil
        }
    }

    private mutating func take(_ author: Author) throws(LibraryError) -> TakenLine {
        if let known = try trees.author(author.id) {
            return try Self.known(known.jsonLine(), author.jsonLine(), "author \(author.id), \(author.name)")
        }
        try requireBooks()
        try checkGiven(author.id)
        _ = try insert(author, as: author.id)
        return .inserted
    }

    private mutating func take(_ work: Work) throws(LibraryError) -> TakenLine {
        if let known = try trees.work(work.id) {
            let stored = try work.validated().work
            return try Self.known(known.jsonLine(), stored.jsonLine(), "work \(work.id), “\(work.title)”")
        }
        try requireBooks()
        try checkGiven(work.id)
        for id in work.authors where try trees.author(id) == nil {
            return .waits(id.rawValue, "“\(work.title)” names the author \(id), who is not in the library.")
        }
        _ = try insert(work, as: work.id)
        return .inserted
    }

    private mutating func take(_ edition: Edition) throws(LibraryError) -> TakenLine {
        if let known = try trees.edition(edition.id) {
            let stored = try edition.validated().edition
            return try Self.known(known.jsonLine(), stored.jsonLine(), "edition \(edition.id)")
        }
        try requireBooks()
        try checkGiven(edition.id)
        if let missing = try missing(edition.work, of: "An edition") { return missing }
        _ = try insert(edition, as: edition.id)
        return .inserted
    }

    private mutating func take(_ entry: UserLibraryEntry) throws(LibraryError) -> TakenLine {
        if let known = try trees.entry(of: entry.work) {
            return try Self.known(known.jsonLine(), entry.jsonLine(), "entry of work \(entry.work)")
        }
        if let missing = try missing(entry.work, of: "An entry") { return missing }
        try set(entry)
        return .inserted
    }

    private func missing(_ work: ID<Work>, of words: String) throws(LibraryError) -> TakenLine? {
        guard try trees.workRecord(work) == nil else { return nil }
        return .waits(work.rawValue, "\(words) belongs to a work, and there is no work \(work).")
    }

    /// - Parameter line: of the record as it would be stored: what a line says twice is there once.
    /// - Throws: `LibraryError.duplicate` when what the library has is another.
    private static func known(_ known: String, _ line: String, _ words: String) throws(LibraryError) -> TakenLine {
        if known.hasSameBytes(as: line) { return .known }
        throw .duplicate(
            "The \(words) is in the library already, and is another. Delete it first, or leave the line out.")
    }
}

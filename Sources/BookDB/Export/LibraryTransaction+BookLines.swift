import RecordStore
import StorageEngine

extension LibraryTransaction {
    /// Takes in a line of an export under its own identifier; `nil` for one that is of no book.
    mutating func takeBook(_ line: JSONValue) throws(LibraryError) -> TakenLine? {
        do throws(LibraryError) {
            switch line["type"]?.text {
            case "author"?: return try take(BookLine.author(line))
            case "work"?: return try take(BookLine.work(line))
            case "edition"?: return try take(BookLine.edition(line))
            case "entry"?: return try take(BookLine.entry(line))
            default: return nil
            }
        } catch .recordNotFound(let words) {
            return .waits(words)
        }
    }

    private mutating func take(_ author: Author) throws(LibraryError) -> TakenLine {
        if let known = try trees.author(author.id) {
            return try Self.known(known.jsonLine(), author.jsonLine(), "author \(author.id), \(author.name)")
        }
        try requireBooks()
        _ = try insert(author, as: author.id)
        return .inserted
    }

    private mutating func take(_ work: Work) throws(LibraryError) -> TakenLine {
        if let known = try trees.work(work.id) {
            return try Self.known(known.jsonLine(), work.jsonLine(), "work \(work.id), “\(work.title)”")
        }
        try requireBooks()
        _ = try insert(work, as: work.id)
        return .inserted
    }

    private mutating func take(_ edition: Edition) throws(LibraryError) -> TakenLine {
        if let known = try trees.edition(edition.id) {
            return try Self.known(known.jsonLine(), edition.jsonLine(), "edition \(edition.id)")
        }
        try requireBooks()
        _ = try insert(edition, as: edition.id)
        return .inserted
    }

    private mutating func take(_ entry: UserLibraryEntry) throws(LibraryError) -> TakenLine {
        if let known = try trees.entry(of: entry.work) {
            return try Self.known(known.jsonLine(), entry.jsonLine(), "entry of work \(entry.work)")
        }
        try set(entry)
        return .inserted
    }

    /// - Throws: `LibraryError.duplicate` when what the library has is another.
    private static func known(_ known: String, _ line: String, _ words: String) throws(LibraryError) -> TakenLine {
        if known.hasSameBytes(as: line) { return .known }
        throw .duplicate(
            "The \(words) is in the library already, and is another. Delete it first, or leave the line out.")
    }
}

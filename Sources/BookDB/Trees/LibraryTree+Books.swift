import StorageEngine

/// The trees that hold books. The numbers are part of the format: one that goes is never used again.
///
/// Those in which works stand are with what else there is to say of them: see `WorkIndexDefinition`. Every list row is stored once, in `title`. The other orders and lists hold the key of that row as the end of their own keys:
/// the row is one look-up away, equal keys fall back to the order by title, and a changed row is one write.
extension LibraryTree {
    /// Work ‖ kind ‖ distance → record of the work, of the entry or of an edition: see `BookKey`. All that belongs to a work is one range.
    static let books = TreeNumber(4)

    /// Edition → work, to find an edition of which only the identifier is known.
    static let editionHomes = TreeNumber(6)

    /// Author → record.
    static let authors = TreeNumber(7)

    /// ISBN ‖ work ‖ edition → nothing. Publishers reuse ISBNs and boxed sets share one, so there may be several.
    static let isbns = TreeNumber(9)

    /// Work ‖ kind → description, notes or review. Cold: these are read one at a time and rarely.
    static let texts = TreeNumber(11)

    /// Source ‖ 00 ‖ value ‖ 00 ‖ work ‖ edition → nothing.
    static let sources = TreeNumber(12)

    /// Hash of a match key ‖ work → nothing. One key for each author of the work. Titles and names would be seven times as long, and the
    /// records have them.
    static let matchKeys = TreeNumber(13)

    /// Folded name ‖ 00 ‖ author → nothing.
    static let authorNames = TreeNumber(14)
}

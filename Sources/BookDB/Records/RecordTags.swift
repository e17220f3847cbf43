/// The numbers of the fields of each record: the format of a library, together with `RecordField`.
///
/// Fields are written in ascending order of their tag, a default value is left out, and a tag is used once and for
/// ever: when a field goes, its tag moves to `retired` and no other field takes it. Tags 1...15 take one byte.
///
/// Tag 15 is reserved in every record for stamps of the fields, by which two devices' changes could be merged.
enum WorkTag {
    static let title: UInt32 = 1
    static let authors: UInt32 = 2
    static let added: UInt32 = 3
    static let firstPublicationYear: UInt32 = 4
    static let coverURL: UInt32 = 5
    static let reviewStatus: UInt32 = 6
    static let language: UInt32 = 7
    static let subtitle: UInt32 = 8
    static let originalTitle: UInt32 = 9
    static let sortTitle: UInt32 = 10
    static let subjects: UInt32 = 11
    static let series: UInt32 = 12

    /// Which texts of the work exist in the tree of texts; see `TextKind`.
    static let texts: UInt32 = 13

    static let retired: Set<UInt32> = []
}

enum EditionTag {
    static let isbns: UInt32 = 1
    static let title: UInt32 = 2
    static let publisher: UInt32 = 3
    static let pageCount: UInt32 = 4
    static let format: UInt32 = 5
    static let publicationYear: UInt32 = 6
    static let language: UInt32 = 7
    static let identifiers: UInt32 = 8
    static let unparsedISBN: UInt32 = 9

    static let retired: Set<UInt32> = []
}

enum AuthorTag {
    static let name: UInt32 = 1
    static let sortName: UInt32 = 2

    static let retired: Set<UInt32> = []
}

enum EntryTag {
    static let status: UInt32 = 1
    static let rating: UInt32 = 2
    static let dateStarted: UInt32 = 3
    static let dateFinished: UInt32 = 4
    static let readCount: UInt32 = 5
    static let isOwned: UInt32 = 6
    static let tags: UInt32 = 7

    /// Which texts of the entry exist in the tree of texts; see `TextKind`.
    static let texts: UInt32 = 8

    static let retired: Set<UInt32> = []
}

/// Fields of a series within a work's field `series`.
enum SeriesTag {
    static let name: UInt32 = 1
    static let number: UInt32 = 2

    static let retired: Set<UInt32> = []
}

/// Fields of an identifier within an edition's field `identifiers`.
enum IdentifierTag {
    static let source: UInt32 = 1
    static let value: UInt32 = 2

    static let retired: Set<UInt32> = []
}

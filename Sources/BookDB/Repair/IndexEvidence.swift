import StorageEngine

/// What the lists and indexes of a damaged library say of records that are gone.
struct IndexEvidence {
    /// A work's row in the list.
    struct Row {
        /// What the title is filed under.
        let filedTitle: [UInt8]
        let title: String
        let authors: String
        let year: Int?
        let coverURL: String?
        let status: ReadingStatus
        let rating: Rating?
        let reviewStatus: ReviewStatus
        let isOwned: Bool
        let language: LanguageCode?
        let dateFinished: Day?

        /// Without an entry a row shows none of these.
        var showsEntry: Bool { status != .none || rating != nil || isOwned || dateFinished != nil }
    }

    /// Whether rows are laid out as today's: those of other rules would be misread.
    var readsRows = true
    private(set) var rows: [ID<Work>: Row] = [:]
    private(set) var authors: [ID<Work>: [ID<Author>]] = [:]
    private(set) var added: [ID<Work>: Milliseconds] = [:]
    private(set) var series: [ID<Work>: [SeriesMembership]] = [:]
    private(set) var tags: [ID<Work>: [String]] = [:]
    /// What titles are filed under, as the other orders know it.
    private(set) var filedTitles: [ID<Work>: [UInt8]] = [:]
    private(set) var homes: [ID<Edition>: ID<Work>] = [:]
    private(set) var isbns: [ID<Edition>: [ISBN]] = [:]
    private(set) var sources: [ID<Edition>: [SourceIdentifier]] = [:]
    /// Folded.
    private(set) var names: [ID<Author>: [UInt8]] = [:]

    /// Every work that any of them names.
    var works: Set<ID<Work>> {
        Set(rows.keys).union(authors.keys).union(added.keys).union(filedTitles.keys)
    }

    mutating func add(_ key: [UInt8], _ value: [UInt8], in tree: TreeNumber) {
        let last = ID<Work>(rawValue: key.number(at: key.count - 8))
        switch tree {
        case LibraryTree.title where readsRows:
            rows[last] = value.withBytes { Row(filedTitle: Array(key.dropLast(9)), $0) }
        case LibraryTree.addedOrder: added[last] = LibraryKey.added(key)
        case LibraryTree.authorWorks: authors[last, default: []].append(ID(rawValue: key.number(at: 0)))
        case LibraryTree.seriesWorks:
            let number = key.drop { $0 != LibraryKey.separator }.dropFirst().prefix(SeriesNumber.byteCount)
            series[last, default: []].append(
                SeriesMembership(
                    name: String(decoding: value, as: UTF8.self), number: SeriesNumber.text(ofKey: Array(number))))
        case LibraryTree.tagWorks: tags[last, default: []].append(String(decoding: value, as: UTF8.self))
        case LibraryTree.editionHomes: homes[ID(rawValue: key.number(at: 0))] = ID(rawValue: value.number(at: 0))
        case LibraryTree.isbns:
            guard let isbn = ISBN(digits: key.number(at: 0)) else { return }
            homes[ID(rawValue: last.rawValue)] = ID(rawValue: key.number(at: key.count - 16))
            isbns[ID(rawValue: last.rawValue), default: []].append(isbn)
        case LibraryTree.sources:
            let parts = key.dropLast(17).split(separator: LibraryKey.separator, maxSplits: 1)
            guard parts.count == 2 else { return }
            homes[ID(rawValue: last.rawValue)] = ID(rawValue: key.number(at: key.count - 16))
            sources[ID(rawValue: last.rawValue), default: []].append(
                SourceIdentifier(
                    source: String(decoding: parts[0], as: UTF8.self), value: String(decoding: parts[1], as: UTF8.self))
            )
        case LibraryTree.authorNames: names[ID(rawValue: last.rawValue)] = Array(key.dropLast(9))
        default: break
        }
        if let index = WorkIndex(tree) {
            let start = key.withBytes { index.titleKeyOffset(in: $0) }
            filedTitles[last] = Array(key.dropFirst(start).dropLast(9))
        }
    }
}

extension IndexEvidence.Row {
    /// `nil` for bytes that are no row.
    init?(filedTitle: [UInt8], _ row: RawSpan) {
        guard let texts = RowTexts(row) else { return nil }
        self.filedTitle = filedTitle
        title = StoredRow.title(row)
        authors = StoredRow.authors(row)
        year = StoredRow.year(row)
        coverURL = StoredRow.coverURL(row, texts)
        status = StoredRow.status(row)
        rating = StoredRow.rating(row)
        reviewStatus = StoredRow.reviewStatus(row)
        isOwned = StoredRow.isOwned(row)
        language = StoredRow.language(row)
        dateFinished = StoredRow.dateFinished(row)
    }
}

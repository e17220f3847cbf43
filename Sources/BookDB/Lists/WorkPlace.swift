import Filing
import StorageEngine

/// Where a work stands in every order and list: a pure function of the work, its authors and the reader's entry.
struct WorkPlace: Equatable, Sendable {
    /// A key of the work in one of the trees.
    struct Stand: Equatable, Sendable {
        let index: WorkIndex
        let key: [UInt8]
        /// The name of a series or tag as written; empty elsewhere. The row of the tree `title` is not here.
        var value: [UInt8] = []
    }

    /// One for each order, in their order, then one for each author, series and tag, and the language.
    let stands: [Stand]

    init(_ work: Work, authors: [Author], entry: UserLibraryEntry?, filing: FilingTailoring) {
        let title = Self.titleKey(work, filing)
        var stands = WorkOrder.allCases.map { order in
            Stand(index: .order(order), key: Self.key(work, authors, entry, order, title: title, filing))
        }
        stands.reserveCapacity(stands.count + work.authors.count + work.series.count + (entry?.tags.count ?? 0) + 1)
        for author in work.authors {
            stands.append(Stand(index: .author, key: LibraryKey.authorWork(author, title: title)))
        }
        // A list shows a work once: of two places in a series the first counts, and two names that fold alike are one.
        var seriesNames = KeySet()
        for series in work.series where seriesNames.insert(LibraryKey.namePrefix(series.name)) {
            stands.append(
                Stand(
                    index: .series, key: LibraryKey.seriesWork(series, title: title), value: Array(series.name.utf8)))
        }
        var tagKeys = KeySet()
        for tag in entry?.tags ?? [] {
            let key = LibraryKey.tagWork(tag, title: title)
            guard tagKeys.insert(key) else { continue }
            stands.append(Stand(index: .tag, key: key, value: Array(tag.utf8)))
        }
        if let language = work.language.flatMap({ LanguageCode($0) }) {
            stands.append(Stand(index: .language, key: LibraryKey.languageWork(language, title: title)))
        }
        self.stands = stands
    }

    subscript(order: WorkOrder) -> [UInt8] {
        stands.first { $0.index == .order(order) }?.key ?? []
    }

    /// The key in one order alone.
    static func key(
        _ work: Work, authors: [Author], entry: UserLibraryEntry?, in order: WorkOrder, filing: FilingTailoring
    ) -> [UInt8] {
        key(work, authors, entry, order, title: titleKey(work, filing), filing)
    }

    private static func titleKey(_ work: Work, _ filing: FilingTailoring) -> [UInt8] {
        LibraryKey.title(
            TitleKey.make(title: work.title, sortTitle: work.sortTitle, language: work.language, filing: filing),
            work.id)
    }

    private static func key(
        _ work: Work, _ authors: [Author], _ entry: UserLibraryEntry?, _ order: WorkOrder, title: [UInt8],
        _ filing: FilingTailoring
    ) -> [UInt8] {
        switch order {
        case .title: title
        case .author:
            LibraryKey.authorOrder(
                authors.first.map { AuthorSortName.key($0.sortName, filing: filing) }, title: title)
        case .added: LibraryKey.addedOrder(work.added, title: title)
        case .finished: LibraryKey.finishedOrder(entry?.dateFinished, title: title)
        case .year: LibraryKey.yearOrder(work.firstPublicationYear, title: title)
        case .rating: LibraryKey.ratingOrder(entry?.rating, title: title)
        case .series: LibraryKey.seriesOrder(work.series.first, title: title)
        }
    }
}

/// The stands of a place by their keys, to be looked up: one by one where they are few.
struct WorkStands {
    private let stands: [WorkPlace.Stand]
    private var places: [Name: Int] = [:]

    private struct Name: Hashable {
        let index: WorkIndex
        let key: [UInt8]
    }

    private static let fewCount = 48

    init(_ stands: [WorkPlace.Stand]) {
        self.stands = stands
        guard stands.count > Self.fewCount else { return }
        for (place, stand) in stands.enumerated() { places[Name(index: stand.index, key: stand.key)] = place }
    }

    /// That of the same tree and key.
    func stand(like stand: WorkPlace.Stand) -> WorkPlace.Stand? {
        guard stands.count > Self.fewCount else {
            return stands.first { $0.index == stand.index && $0.key == stand.key }
        }
        return places[Name(index: stand.index, key: stand.key)].map { stands[$0] }
    }
}

/// A work's place in the lists and what they show of it. Two that are equal need no write.
struct ListedWork: Equatable, Sendable {
    let place: WorkPlace
    let row: WorkListRow

    init(_ work: Work, authors: [Author], entry: UserLibraryEntry?, filing: FilingTailoring) {
        place = WorkPlace(work, authors: authors, entry: entry, filing: filing)
        row = .make(work: work, authors: authors, entry: entry)
    }

    /// What the trees hold: the row in the tree by title, and mostly nothing elsewhere.
    func value(of stand: WorkPlace.Stand) -> [UInt8] {
        stand.index == .order(.title) ? row.encoded() : stand.value
    }
}

extension Work {
    /// One key for each author, so that a source that names only the second one still finds the work.
    func matchKeys(authors: [Author]) -> [MatchKey] {
        authors.isEmpty
            ? [MatchKey(title: title, author: "")]
            // Two authors of one name have one key.
            : authors.map { MatchKey(title: title, author: $0.name) }.withoutRepetitions()
    }
}

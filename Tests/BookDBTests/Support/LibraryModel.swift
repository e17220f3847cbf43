@testable import BookDB
@testable import RecordStore
@testable import Filing

/// A library the slow and obvious way: dictionaries of records, and every list sorted when it is asked for.
struct LibraryModel: Sendable {
    var filing = FilingTailoring.standard
    var works: [ID<Work>: Work] = [:]
    var editions: [ID<Edition>: Edition] = [:]
    var authors: [ID<Author>: Author] = [:]
    var entries: [ID<Work>: UserLibraryEntry] = [:]

    func list(_ order: WorkOrder, _ filter: WorkFilter, _ direction: WorkDirection = .forward) -> [ID<Work>] {
        let sorted = works.values.filter { shows($0, filter) }.map { (id: $0.id, key: sortKey($0, order)) }
            .sorted { $0.key == $1.key ? $0.id < $1.id : $0.key.lexicographicallyPrecedes($1.key) }
        guard direction == .reverse else { return sorted.map(\.id) }
        let valued = sorted.filter { $0.key.first != 0xFF || order == .title || order == .added }
        return (valued.reversed() + sorted.dropFirst(valued.count)).map(\.id)
    }

    /// In title order.
    func list(where holds: (Work, UserLibraryEntry?) -> Bool) -> [ID<Work>] {
        list(.title, .all).filter { holds(works[$0]!, entries[$0]) }
    }

    /// Of the works in `list`, which is in title order, those whose title begins with the prefix.
    func titled(_ prefix: String, of list: [ID<Work>]) -> [ID<Work>] {
        let key = TitleKey.searchPrefix(prefix, filing: filing)
        return key.isEmpty ? list : list.filter { titleKey(works[$0]!).starts(with: key) }
    }

    func details(_ id: ID<Work>) -> WorkDetails? {
        works[id].map { work in
            WorkDetails(
                work: work, authors: work.authors.map { authors[$0]! },
                editions: editions.values.filter { $0.work == id }.sorted { $0.id < $1.id }, entry: entries[id])
        }
    }

    func works(with isbn: ISBN) -> Set<ID<Work>> {
        Set(editions.values.filter { $0.isbns.contains(isbn) }.map(\.work))
    }

    func works(with source: SourceIdentifier) -> Set<ID<Work>> {
        Set(editions.values.filter { $0.identifiers.contains(source) }.map(\.work))
    }

    func works(by author: ID<Author>) -> [ID<Work>] {
        works.values.filter { $0.authors.contains(author) }.map(\.id).sorted()
    }

    func works(matching match: MatchKey) -> [ID<Work>] {
        works.values.filter { work in
            let names = work.authors.isEmpty ? [""] : work.authors.map { authors[$0]!.name }
            return names.contains { MatchKey(title: work.title, author: $0) == match }
        }.map(\.id).sorted()
    }

    mutating func delete(_ id: ID<Work>) {
        works[id] = nil
        entries[id] = nil
        editions = editions.filter { $0.value.work != id }
    }

    // MARK: Pieces

    private func shows(_ work: Work, _ filter: WorkFilter) -> Bool {
        switch filter {
        case .all: true
        case .status(let status): (entries[work.id]?.status ?? .none) == status
        case .review(let status): work.reviewStatus == status
        case .owned: entries[work.id]?.isOwned ?? false
        }
    }

    /// Texts end in a zero, so that the shorter of two comes first.
    private func sortKey(_ work: Work, _ order: WorkOrder) -> [UInt8] {
        switch order {
        case .title: titleKey(work)
        case .author: (authorKey(work) ?? [0xFF]) + [0] + titleKey(work)
        case .added: [UInt8].bigEndian(UInt64((1 << 62) - work.added.since1970)) + titleKey(work)
        case .finished:
            (entries[work.id]?.dateFinished).map {
                .bigEndian(UInt64((1 << 40) - Int64($0.daysSince1970))) + titleKey(work)
            }
                ?? [0xFF] + titleKey(work)
        case .year:
            work.firstPublicationYear.map {
                .bigEndian(UInt64(min(max($0, -32_768), 32_766) + 1 << 20)) + titleKey(work)
            }
                ?? [0xFF] + titleKey(work)
        case .rating: [entries[work.id]?.rating.map { 200 - $0.quarterStars } ?? 0xFF] + titleKey(work)
        case .series: work.series.first.map { seriesKey($0) + titleKey(work) } ?? [0xFF] + titleKey(work)
        default: preconditionFailure("the model knows no order by \(order)")
        }
    }

    private func seriesKey(_ series: SeriesMembership) -> [UInt8] {
        let digits = (series.number ?? "").drop { !$0.isNumber }.prefix { $0.isNumber || $0 == "." }
        let number = Double(digits).map { UInt64($0 * 10_000) } ?? .max
        return LibraryKey.namePrefix(series.name) + .bigEndian(number)
    }

    private func titleKey(_ work: Work) -> [UInt8] {
        TitleKey.make(title: work.title, sortTitle: work.sortTitle, language: work.language, filing: filing)
    }

    private func authorKey(_ work: Work) -> [UInt8]? {
        work.authors.first.map { AuthorSortName.key(authors[$0]!.sortName, filing: filing) }
    }
}

extension WorkFilter {
    static var everyFilter: [WorkFilter] {
        [.all, .owned] + ReadingStatus.allCases.map { .status($0) } + ReviewStatus.allCases.map { .review($0) }
    }
}

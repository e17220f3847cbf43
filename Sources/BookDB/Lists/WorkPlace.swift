import StorageEngine

/// The keys under which a work stands in the three orders: a pure function of the work and its authors.
struct WorkPlace: Equatable, Sendable {
    let title: [UInt8]
    let author: [UInt8]
    let added: [UInt8]

    init(_ work: Work, authors: [Author], filing: FilingTailoring) {
        let titleKey = TitleKey.make(
            title: work.title, sortTitle: work.sortTitle, language: work.language, filing: filing)
        title = LibraryKey.title(titleKey, work.id)
        author = LibraryKey.authorOrder(
            authors.first.map { AuthorSortName.key($0.sortName, filing: filing) }, title: title)
        added = LibraryKey.addedOrder(work.added, title: title)
    }

    subscript(order: WorkOrder) -> [UInt8] {
        switch order {
        case .title: title
        case .author: author
        case .added: added
        }
    }
}

/// A work's place in the lists and what they show of it. Two that are equal need no write.
struct ListedWork: Equatable, Sendable {
    let place: WorkPlace
    let row: WorkListRow
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

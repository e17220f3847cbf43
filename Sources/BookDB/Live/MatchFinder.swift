/// Looks for the works of a list that match what was typed or a predicate, off the main actor.
struct MatchFinder: Sendable {
    let snapshot: Snapshot
    let query: WorkListQuery
    let text: String
    let predicate: WorkPredicate?

    /// What the matches are chosen from. A search goes through the whole library, whatever order and scope the list had.
    var list: WorkItems { hasText ? snapshot.works.sorted() : query.items(in: snapshot) }

    private var hasText: Bool { !text.isEmpty }

    private var search: WorkSearch { snapshot.works.search(text, filter: query.filter) }

    /// The beginning of what is shown, when that is quicker to have than all of it.
    @concurrent func first(_ limit: Int) async throws -> WorkListItems? {
        guard hasText, predicate == nil, !search.isEmpty else { return nil }
        let positions = try search.positions(limit)
        try Task.checkCancellation()
        return WorkListItems(list, chosen: positions)
    }

    /// - Returns: what is shown, and how many works match a search.
    @concurrent func all(_ limit: Int) async throws -> (items: WorkListItems, matchCount: Int?) {
        guard hasText, !search.isEmpty else {
            guard let predicate else { return (WorkListItems(query.items(in: snapshot)), nil) }
            let list = query.items(in: snapshot)
            return (WorkListItems(list, chosen: try FilteredWorks(list, predicate).indices()), nil)
        }
        let positions = try search.positions(limit)
        try Task.checkCancellation()
        guard let predicate else {
            let count = positions.count < limit ? positions.count : try await search.count()
            return (WorkListItems(list, chosen: positions), count)
        }
        let works = FilteredWorks(list, predicate)
        let chosen = positions.filter { works.matches(list[Int($0)]) }
        return (WorkListItems(list, chosen: chosen), positions.count < limit ? chosen.count : nil)
    }
}

/// Looks for the works of a list that match what was typed or a predicate, off the main actor.
struct MatchFinder: Sendable {
    let snapshot: Snapshot
    let query: WorkListQuery
    let text: String
    let predicate: WorkPredicate?

    /// What the matches are chosen from. A search goes through the whole library, whatever order the list had, and leaves out what
    /// is not in its scope.
    var list: WorkItems { base.items(in: snapshot.version) }

    /// The list that the matches are chosen from.
    var base: WorkListQuery {
        if hasText { return WorkListQuery() }
        return query.isKept
            ? query : WorkListQuery(order: query.order, direction: query.direction, filter: query.filter)
    }

    /// Of blanks alone nothing is searched for.
    var hasText: Bool { !search.isEmpty }

    /// What the works of `list` must fulfil to be shown.
    var condition: WorkPredicate? {
        get throws(LibraryError) {
            let membership = hasText || !query.isKept ? try query.membership(in: snapshot.version) : nil
            guard let membership, let predicate else { return membership ?? predicate }
            return membership && predicate
        }
    }

    var search: WorkSearch { snapshot.works.search(text, filter: query.filter) }

    /// The beginning of what is shown, when that is quicker to have than all of it.
    @concurrent func first(_ limit: Int) async throws(LibraryError) -> WorkListItems? {
        guard hasText, try condition == nil else { return nil }
        return WorkListItems(list, chosen: try search.positions(limit))
    }

    /// - Returns: what is shown, and how many works match a search.
    @concurrent func all(_ limit: Int) async throws(LibraryError) -> (items: WorkListItems, matchCount: Int?) {
        guard hasText else {
            guard let condition = try condition else { return (WorkListItems(list), nil) }
            return (WorkListItems(list, chosen: try FilteredWorks(list, condition).indices()), nil)
        }
        guard let condition = try condition else {
            let positions = try search.positions(limit)
            let count = positions.count < limit ? positions.count : try await search.count()
            return (WorkListItems(list, chosen: positions), count)
        }
        // Of all that match, since those of the condition may be anywhere among them.
        let library = list
        let works = FilteredWorks(library, condition)
        var chosen: [Int32] = []
        for (index, position) in try search.positions(library.count).enumerated() {
            if index.isMultiple(of: 256), Task.isCancelled { throw .cancelled }
            if works.matches(library[Int(position)]) { chosen.append(position) }
        }
        return (WorkListItems(library, chosen: Array(chosen.prefix(limit))), chosen.count)
    }
}

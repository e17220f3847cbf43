import StorageEngine

extension LibraryTransaction {
    /// Puts a record in the place of one of another kind, under the same identifier: for kinds that are split, merged or named otherwise.
    ///
    /// Who links to the former record keeps its identifier, and nothing else is done with them: no link deletes, clears or denies. A link that a type
    /// declares to the new kind leads to the record then; one that is declared to the former kind is not whole any more.
    ///
    /// - Parameter record: one without an identifier.
    /// - Throws: `LibraryError.recordNotFound` when there is no former record; `.duplicate` when the new kind has one under the identifier;
    ///   `.invalidArgument` for a record of the same kind, which is updated instead; and as `insert` does. Nothing was changed then.
    @discardableResult
    public mutating func replace<Old: Record, New: Record>(
        _ id: ID<Old>, with record: New
    ) throws(LibraryError) -> ID<New> {
        let (old, new) = (RecordKind<Old>.current, RecordKind<New>.current)
        guard old.name != new.name else {
            throw .invalidArgument("\(old.name) \(id) stays a record of its kind: update it instead.")
        }
        try check(old)
        guard try trees.has(.records(old.name), id.rawValue) else {
            throw .recordNotFound("There is no \(old.name) \(id) to replace.")
        }
        guard try !trees.has(.records(new.name), id.rawValue) else {
            throw .duplicate("There is a \(new.name) under the identifier \(id) already.")
        }
        let added = try insert(record, under: id.rawValue)
        // With the new one there: who names the former by a link to either kind stands by what is left then.
        do throws(LibraryError) {
            var plan = PlannedChanges()
            let stored = try trees.recordBytes(id.rawValue, ofKind: old.name)
            plan.set(LinkedRecord(target: .records(old.name), id: id.rawValue), nil)
            try checkFollowers(of: (old.name, id.rawValue), from: stored, in: plan)
        } catch  where failure == nil {
            try apply { (transaction) throws(LibraryError) in try transaction.eraseRecord(new.name, id.rawValue) }
            throw error
        }
        try apply { (transaction) throws(LibraryError) in
            try transaction.eraseRecord(old.name, id.rawValue)
            try transaction.loosenLinks(toKind: old.name)
        }
        return added
    }

    /// Notes that links to a kind may lead nowhere. Within `apply` only.
    private mutating func loosenLinks(toKind kind: String) throws(LibraryError) {
        let links = try links(toKind: kind).filter(\.isWhole)
        guard !links.isEmpty else { return }
        for link in links {
            try put(link.loosened.value, forKey: link.key, in: LibraryTree.appLinks)
        }
        knownLinks = nil
    }
}

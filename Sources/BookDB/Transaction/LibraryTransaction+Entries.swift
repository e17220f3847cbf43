extension LibraryTransaction {
    /// Sets what the reader did with a work, in place of what was there.
    ///
    /// - Throws: `LibraryError.recordNotFound` or `.invalidValue` when the work is not in the library, or it was read less than never.
    public mutating func set(_ entry: UserLibraryEntry) throws(LibraryError) {
        try requireBooks()
        guard let (work, old) = try workAndEntry(entry.work) else {
            throw .recordNotFound("An entry belongs to a work, and there is no work \(entry.work).")
        }
        let record = try entry.validatedRecord(title: work.title)
        if let old, record == old.encodedRecord(), entry.notes.hasSameBytes(as: old.notes),
            entry.review.hasSameBytes(as: old.review)
        {
            return
        }
        let listed = try listed(work, with: old)
        try apply { (transaction) throws(LibraryError) in
            if old?.encodedRecord() != record {
                try transaction.put(record, forKey: BookKey.entry(entry.work), isNew: old == nil)
            }
            try transaction.replaceText(.notes, of: entry.work, from: old?.notes, to: entry.notes)
            try transaction.replaceText(.review, of: entry.work, from: old?.review, to: entry.review)
            try transaction.relist(listed, with: entry)
            if old == nil {
                transaction.changes.insert(entry.work.untyped, of: .entries)
            } else {
                transaction.changes.update(entry.work.untyped, of: .entries)
            }
        }
    }

    /// Forgets what the reader did with a work.
    ///
    /// - Returns: whether there was an entry.
    @discardableResult
    public mutating func deleteEntry(of id: ID<Work>) throws(LibraryError) -> Bool {
        try requireBooks()
        guard let (work, old) = try workAndEntry(id), let old else { return false }
        let listed = try listed(work, with: old)
        try apply { (transaction) throws(LibraryError) in
            try transaction.erase(old)
            try transaction.relist(listed, with: nil)
        }
        return true
    }

    // MARK: Pieces

    /// Changes the tags alone: notes and reviews, which lie elsewhere, are not read. Within `apply` only.
    ///
    /// - Parameter change: `nil` where nothing is to be changed.
    /// - Returns: whether anything was.
    mutating func changeTags(of id: ID<Work>, _ change: ([String]) -> [String]?) throws(LibraryError) -> Bool {
        guard let retagged = try retagged(id, change) else { return false }
        let listed = try listed(retagged.work, with: retagged.old)
        try put(retagged.record, forKey: BookKey.entry(id), isNew: false)
        try relist(listed, with: retagged.entry)
        changes.update(id.untyped, of: .entries)
        return true
    }

    /// - Throws: `LibraryError.invalidValue` where an entry with these tags could not be stored.
    func requireStorableTags(of id: ID<Work>, _ change: ([String]) -> [String]?) throws(LibraryError) {
        _ = try retagged(id, change)
    }

    /// An entry with other tags, and as it is stored; `nil` where nothing is to be changed.
    private func retagged(
        _ id: ID<Work>, _ change: ([String]) -> [String]?
    ) throws(LibraryError) -> (work: Work, old: UserLibraryEntry, entry: UserLibraryEntry, record: [UInt8])? {
        guard let (old, texts) = try trees.entryRecord(of: id), let tags = change(old.tags),
            let work = try work(listedAs: id)
        else { return nil }
        var entry = old
        entry.tags = tags
        // Whether there are texts is all that the record says of them.
        var stored = entry
        stored.notes = texts & TextKind.notes.flag == 0 ? nil : ""
        stored.review = texts & TextKind.review.flag == 0 ? nil : ""
        return (work, old, entry, try stored.validatedRecord(title: work.title))
    }

    /// Within `apply` only. The row is the caller's to change.
    mutating func erase(_ entry: UserLibraryEntry) throws(LibraryError) {
        try remove(BookKey.entry(entry.work))
        try replaceText(.notes, of: entry.work, from: entry.notes, to: nil)
        try replaceText(.review, of: entry.work, from: entry.review, to: nil)
        changes.delete(entry.work.untyped, of: .entries)
    }

    /// Notes do not show: nothing is written then.
    private func relist(_ listed: BooksAtHand.Listed, with entry: UserLibraryEntry?) throws(LibraryError) {
        var new = listed
        new.entry = entry
        try relist(listed.work.id, from: listed, to: new)
    }

    /// A work, and the reader's entry with its texts; `nil` when there is no such work.
    private func workAndEntry(
        _ id: ID<Work>
    ) throws(LibraryError) -> (work: Work, entry: UserLibraryEntry?)? {
        guard let work = try work(listedAs: id) else { return nil }
        // A work that was just inserted has no entry to be looked for.
        if let listed = atHand(id), listed.entry == nil { return (work, nil) }
        return (work, try trees.entry(of: id))
    }

    /// Its texts may not be there.
    private func work(listedAs id: ID<Work>) throws(LibraryError) -> Work? {
        if let listed = atHand(id) { return listed.work }
        return try trees.workRecord(id)?.work
    }

    private mutating func listed(
        _ work: Work, with entry: UserLibraryEntry?
    ) throws(LibraryError) -> BooksAtHand.Listed {
        if let listed = atHand(work.id) { return listed }
        return BooksAtHand.Listed(work: work, authors: try authors(of: work), entry: entry)
    }
}

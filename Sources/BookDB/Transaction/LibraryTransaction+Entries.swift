extension LibraryTransaction {
    /// Sets what the reader did with a work, in place of what was there.
    ///
    /// - Throws: `LibraryError.recordNotFound` or `.invalidValue` when the work is not in the library, or it was read less than never.
    public mutating func set(_ entry: UserLibraryEntry) throws(LibraryError) {
        try requireBooks()
        guard let work = try trees.workRecord(entry.work)?.work else {
            throw .recordNotFound("An entry belongs to a work, and there is no work \(entry.work).")
        }
        let record = try entry.validatedRecord(title: work.title)
        let old = try trees.entry(of: entry.work)
        if let old, record == old.encodedRecord(), entry.notes.hasSameBytes(as: old.notes),
            entry.review.hasSameBytes(as: old.review)
        {
            return
        }
        let authors = try authors(of: work)
        try apply { (transaction) throws(LibraryError) in
            if old?.encodedRecord() != record {
                try transaction.put(record, forKey: entry.work.rawValue, in: LibraryTree.entries)
            }
            try transaction.replaceText(.notes, of: entry.work, from: old?.notes, to: entry.notes)
            try transaction.replaceText(.review, of: entry.work, from: old?.review, to: entry.review)
            try transaction.relist(work, authors: authors, from: old, to: entry)
            if old == nil {
                transaction.changes[.entries].insert(entry.work.untyped)
            } else {
                transaction.changes[.entries].update(entry.work.untyped)
            }
        }
    }

    /// Forgets what the reader did with a work.
    ///
    /// - Returns: whether there was an entry.
    @discardableResult
    public mutating func deleteEntry(of id: ID<Work>) throws(LibraryError) -> Bool {
        try requireBooks()
        guard let old = try trees.entry(of: id), let work = try trees.workRecord(id)?.work else { return false }
        let authors = try authors(of: work)
        try apply { (transaction) throws(LibraryError) in
            try transaction.erase(old)
            try transaction.relist(work, authors: authors, from: old, to: nil)
        }
        return true
    }

    // MARK: Pieces

    /// Changes the tags alone: notes and reviews, which lie elsewhere, are not read. Within `apply` only.
    ///
    /// - Returns: whether there is an entry.
    mutating func changeTags(of id: ID<Work>, _ change: ([String]) -> [String]) throws(LibraryError) -> Bool {
        guard let (old, texts) = try trees.entryRecord(of: id), let work = try trees.workRecord(id)?.work else {
            return false
        }
        var entry = old
        entry.tags = change(old.tags)
        // Whether there are texts is all that the record says of them.
        var stored = entry
        stored.notes = texts & TextKind.notes.flag == 0 ? nil : ""
        stored.review = texts & TextKind.review.flag == 0 ? nil : ""
        try put(stored.validatedRecord(title: work.title), forKey: id.rawValue, in: LibraryTree.entries)
        try relist(work, authors: authors(of: work), from: old, to: entry)
        changes[.entries].update(id.untyped)
        return true
    }

    /// Within `apply` only. The row is the caller's to change.
    mutating func erase(_ entry: UserLibraryEntry) throws(LibraryError) {
        try remove(entry.work.rawValue, in: LibraryTree.entries)
        try replaceText(.notes, of: entry.work, from: entry.notes, to: nil)
        try replaceText(.review, of: entry.work, from: entry.review, to: nil)
        changes[.entries].delete(entry.work.untyped)
    }

    /// Notes do not show: nothing is written then.
    private mutating func relist(
        _ work: Work, authors: [Author], from old: UserLibraryEntry?, to new: UserLibraryEntry?
    ) throws(LibraryError) {
        try replaceListing(
            ListedWork(work, authors: authors, entry: old, filing: filing),
            with: ListedWork(work, authors: authors, entry: new, filing: filing))
    }
}

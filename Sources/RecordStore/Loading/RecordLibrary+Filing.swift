import Filing
import StorageEngine

extension RecordLibrary {
    /// Files all texts anew, with the letters that languages place differently where the tailoring has them: what the library keeps beside
    /// declared records in one commit, and orders by `.filed` piece by piece.
    ///
    /// Lists beside declared records take O(n log n), on all cores: they are made as a load makes them. Reading goes on, also of the lists as
    /// they were; other writers wait, some 10 to 20 microseconds a row. Nothing is written when the library is filed so already.
    ///
    /// - Throws: as `write` does; the library is then filed as it was, or, when only the second commit failed, which begins the orders of the app's
    ///   own records anew, these are made by the next write of such a record.
    public func setFiling(_ filing: FilingTailoring) async throws(LibraryError) {
        try await bringUpToDate()
        try await deriveAnew { (meta, contents, load) throws(LibraryError) in
            guard meta.filing != filing || !meta.knowsFiling else { return false }
            meta.filing = filing
            guard let derive = contents.deriveByLoad else {
                // Where another module of the app has derived lists, it makes them anew when it next opens the library.
                meta.filingRules = 0
                return true
            }
            try derive(load, contents.derived.filter(contents.followsTailoring), filing)
            return true
        }
        guard try !database.version.kindsWithOrders(notFiledBy: filing).isEmpty else { return }
        // Those that a crash leaves behind are made anew by the next write of such a record.
        try await transact(.flushed) { (library) throws(LibraryError) in try library.refileOrders() }
    }

    /// Makes anew what today's rules make otherwise, as a load makes it: in time that grows with the library, and memory that does not. A
    /// load finds what is derived as these rules have it, and so does a transaction.
    func bringUpToDate() async throws(LibraryError) {
        try await ready()
        guard let rules = Self.contents.rules, let meta = try LibraryMeta(database.version),
            !meta.isDerived(by: rules)
        else { return }
        guard Self.contents.deriveByLoad != nil else { return try await transact(.ordered) { _ in } }
        try await deriveAnew { (meta, contents, load) throws(LibraryError) in
            guard !meta.isDerived(by: rules) else { return false }
            try contents.deriveByLoad?(load, contents.derived.filter(contents.followsRules), meta.filing)
            meta.noteDerived(by: rules)
            return true
        }
    }

    /// - Parameter body: says whether anything is to be written.
    private func deriveAnew(
        _ body: @escaping @Sendable (inout LibraryMeta, LibraryContents, Load) throws(LibraryError) -> Bool
    ) async throws(LibraryError) {
        let generation = database.version.snapshotGeneration
        defer {
            // The log went with the generation before, and with it what undoing would read there.
            let version = database.version
            if version.snapshotGeneration != generation { undoHistory.dropUnheld(through: version.commitNumber) }
        }
        try await translatingErrors {
            try await database.load { [newMeta, contents = Self.contents] load in
                var (stored, meta) = try LibraryMeta.forWriting(
                    load.version, in: load.version.storeNumber, new: newMeta)
                guard try body(&meta, contents, load) else { return }
                try load.put(meta, since: stored)
                var changes = LibraryChanges()
                changes.isRelisted = true
                load.note = changes
            }
        }
    }
}

extension Snapshot {
    /// Where the library files the letters that languages place differently.
    public var filing: FilingTailoring {
        get throws(LibraryError) { try LibraryMeta.filing(version) }
    }
}

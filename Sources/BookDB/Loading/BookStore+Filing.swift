import Filing
import StorageEngine

extension BookStore {
    /// Files every work anew, with the letters that languages place differently where the tailoring has them; and the app's own records
    /// in orders by `.filed`, piece by piece.
    ///
    /// One commit, O(n log n), on all cores: the lists are made as a load makes them. Reading goes on, also of the lists as they
    /// were; other writers wait, some 10 to 20 microseconds a work. Nothing is written when the library is filed so already.
    ///
    /// - Throws: as `write` does; the library is then filed as it was, or, when only the second commit failed, which begins the orders of the app's
    ///   own records anew, these are made by the next write of such a record.
    public func setFiling(_ filing: FilingTailoring) async throws(BookError) {
        if let unavailability { throw unavailability }
        try await bringFilingUpToDate()
        do {
            try await database.load { [newDevice, newFiling] load in
                try Relisting(load, filing, newDevice: newDevice, newFiling: newFiling)?.run()
            }
        } catch {
            throw BookError(caught: error)
        }
        guard try !database.version.kindsWithOrders(notFiledBy: filing).isEmpty else { return }
        // Those that a crash leaves behind are made anew by the next write of such a record.
        try await transact(.flushed) { (library) throws(BookError) in try library.refileOrders() }
    }

    /// A load finds the lists filed by today's rules, as a transaction does. Any transaction sees to that.
    func bringFilingUpToDate() async throws(BookError) {
        if let meta = try LibraryMeta(database.version), !meta.isFiledAsNow { try await transact(.ordered) { _ in } }
    }
}

extension Snapshot {
    /// Where the library files the letters that languages place differently.
    public var filing: FilingTailoring {
        get throws(BookError) { try LibraryMeta.filing(version) }
    }
}

extension BookStore {
    /// Files every work anew, with the letters that languages place differently where the tailoring has them.
    ///
    /// One commit, O(n log n); nothing is written when the library is filed so already.
    ///
    /// - Throws: as `write` does.
    public func setFiling(_ filing: FilingTailoring) async throws(BookError) {
        try await transact { (library) throws(BookError) in try library.setFiling(filing) }
    }
}

extension Snapshot {
    /// Where the library files the letters that languages place differently.
    public var filing: FilingTailoring {
        get throws(BookError) { try LibraryMeta.filing(version) }
    }
}

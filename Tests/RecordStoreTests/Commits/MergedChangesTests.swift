import Testing

@testable import RecordStore

/// What several commits did together, as who falls behind is told.
@Suite struct MergedChangesTests {
    /// A record that was deleted, and that a restore brought back, was among those that are gone and those that changed.
    @Test func `of another library nothing is told by what was done to the one before`() {
        let id = ID<AppRecord>(device: 1, counter: 7)
        var merged = LibraryChanges()
        merged.records["Loan", default: Changes()].delete(id)
        merged.isRelisted = true
        var restored = LibraryChanges()
        restored.isWhole = true
        merged.merge(restored)
        #expect(merged.isWhole && merged.isRelisted && merged.records.isEmpty)
        var later = LibraryChanges()
        later.records["Loan", default: Changes()].update(id)
        merged.merge(later)
        let loans = merged.records["Loan"]
        #expect(merged.isWhole && loans?.updated == [id] && loans?.deleted.isEmpty == true)
    }
}

import StorageEngine
import Testing

@testable import RecordStore

/// What several commits did together, as who falls behind is told.
@Suite struct MergedChangesTests {
    /// Each commit keeps its snapshot, and each snapshot its file.
    @Test func `commits that nobody takes keep few snapshot files, and lose no change`() async throws {
        let store = try RecordLibrary(at: "A.bookdb", fileSystem: MemoryFileSystem())
        let commits = store.commits
        var inserted: [ID<LedgerAccount>] = []
        for number in 0..<12 {
            inserted.append(try await store.insert(LedgerAccount(name: "\(number)")))
            inserted.append(try await store.insert(LedgerAccount(name: "\(number) again")))
            try await store.compact()
        }
        try await store.close()
        var (told, generations, numbers) = ([ID<LedgerAccount>](), Set<UInt64>(), [UInt64]())
        for await commit in commits {
            told += commit.records(LedgerAccount.self).inserted
            generations.insert(commit.snapshot.version.snapshotGeneration)
            numbers.append(commit.number)
        }
        #expect(Set(told) == Set(inserted) && told.count == inserted.count)
        #expect(generations.count <= CommitSubscription.generationCapacity)
        #expect(numbers == numbers.sorted() && numbers.count > CommitSubscription.generationCapacity)
    }

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

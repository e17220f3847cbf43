import StorageEngine

extension RecordLibrary {
    /// Goes through the records of a list and changes what the closure changes of each, some records in each commit, while others write: for what a
    /// new version of an app keeps otherwise. Opening a library never waits for it.
    ///
    /// A field whose type changes is another field, under another name and number; the type has both until no record has the former one:
    ///
    /// ```swift
    /// let old = try store.snapshot.records(Loan.self).where(\.dueSeconds != nil)
    /// try await store.migrate(old) { loan, library in
    ///     var loan = loan
    ///     loan.due = loan.dueSeconds.map { Day(daysSince1970: Int32($0 / 86_400)) }
    ///     loan.dueSeconds = nil
    ///     try library.update(loan)
    /// }
    /// ```
    ///
    /// It is asked for at each launch, since an older version of the app may have written again: a look at a hundred thousand records, for which no
    /// writer waits. Kinds are split and merged by `LibraryTransaction.replace`, or by inserting what is new and deleting what was:
    ///
    /// ```swift
    /// try await store.migrate(store.snapshot.records(Person.self).all) { person, library in
    ///     try library.replace(person.id, with: Contact(name: person.name))
    /// }
    /// ```
    ///
    /// It goes on where it was broken off when the list is asked for anew, and the closure leaves no record in it that it has seen to. A record that
    /// was deleted meanwhile is passed over; one that was changed is given as it is now.
    ///
    /// - Parameters:
    ///   - durability: of each commit. A commit holds the writer for a millisecond or two, or for one record where that takes longer.
    ///   - progress: hears how much is done, from 0 to 1.
    ///   - change: sees a record, and the transaction that its piece is changed in.
    /// - Returns: how many records it has seen.
    /// - Throws: what `change` throws, and as `write` does. What was committed before stays.
    @discardableResult
    public func migrate<Value: Record>(
        _ list: RecordList<Value>, _ durability: Durability = .flushed, progress: (@Sendable (Double) -> Void)? = nil,
        _ change: @Sendable (Value, inout LibraryTransaction) throws -> Void
    ) async throws -> Int {
        var rest = try list.identifiers(offset: 0, limit: list.count)[...]
        let count = rest.count
        var (seenCount, pieceCount) = (0, Self.firstPieceCount)
        while !rest.isEmpty {
            let piece = rest.prefix(pieceCount)
            rest = rest.dropFirst(pieceCount)
            let (seen, time) = try await write(durability) { library in
                let clock = ContinuousClock()
                let start = clock.now
                var seenCount = 0
                for id in piece {
                    guard let record = try library.record(id) else { continue }
                    try change(record, &library)
                    seenCount += 1
                }
                return (seenCount, clock.now - start)
            }
            seenCount += seen
            progress?(Double(count - rest.count) / Double(count))
            if time < .milliseconds(1) {
                pieceCount = min(2 * pieceCount, Self.largestPieceCount)
            } else if time > .milliseconds(2) {
                pieceCount = max(pieceCount / 2, 1)
            }
        }
        return seenCount
    }

    private static var firstPieceCount: Int { 16 }
    private static var largestPieceCount: Int { 512 }
}

import StorageEngine

extension RecordLibrary {
    /// Goes through the records of a list and changes what the closure changes of each, some records in each commit, while others write: for what a
    /// new version of an app keeps otherwise. Opening a library never waits for it.
    ///
    /// A field whose type changes is another field, under another name and number; the type has both until no record has the former one:
    ///
    /// ```swift
    /// struct Booking: Record {
    ///     var id: ID<Booking> = .unassigned
    ///     var seconds: Int?    // what the day was before
    ///     var day: Day?
    ///     enum CodingKeys: Int, CodingKey { case id = 0, seconds = 1, day = 2 }
    /// }
    /// ```
    ///
    /// ```swift
    /// let former = try store.snapshot.records(Booking.self).where(\.seconds != nil)
    /// try await store.migrate(former) { booking, library in
    ///     var booking = booking
    ///     guard let seconds = booking.seconds else { return }    // somebody else has seen to it meanwhile
    ///     booking.day = Day(Date(timeIntervalSince1970: Double(seconds)), in: .gmt)
    ///     booking.seconds = nil
    ///     try library.update(booking)
    /// }
    /// ```
    ///
    /// It is asked for at each launch, since an older version of the app may have written again: a look at a hundred thousand records, for which no
    /// writer waits. Kinds are split and merged by `LibraryTransaction.replace`: `try library.replace(person.id, with: Contact(name: person.name))`,
    /// or by inserting what is new and deleting what was.
    ///
    /// It goes on where it was broken off when the list is asked for anew, and the closure leaves no record in it that it has seen to. A record that
    /// was deleted meanwhile is passed over; one that was changed is given as it is now, also where the list would not have it any more: a user, the same
    /// migration in an extension, or a second call may have been there. So the closure looks whether there is anything left to do.
    ///
    /// Its commits are not among those that `undo` takes back.
    ///
    /// - Parameters:
    ///   - durability: of each commit. A commit holds the writer for a millisecond or two, or for one record where that takes longer.
    ///   - progress: hears how much is done, from 0 to 1.
    ///   - change: sees a record, and the transaction that its piece is changed in. As the closure of a `write`, it may be run again.
    /// - Returns: how many records it has seen.
    /// - Throws: what `change` throws, and as `write` does. What was committed before stays.
    @discardableResult
    public func migrate<Value: Record>(
        _ list: RecordList<Value>, _ durability: Durability = .flushed, progress: (@Sendable (Double) -> Void)? = nil,
        _ change: @Sendable (Value, inout LibraryTransaction) throws -> Void
    ) async throws -> Int {
        var rest = try list.identifiers(offset: 0, limit: list.count)[...]
        let count = rest.count
        if count == 0 { progress?(1) }
        var (seenCount, pieceCount) = (0, Self.firstPieceCount)
        while !rest.isEmpty {
            let piece = rest.prefix(pieceCount)
            rest = rest.dropFirst(pieceCount)
            let (seen, time) = try await write(durability) { library in
                library.leaveOutOfUndo()
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

import StorageEngine

extension RecordLibrary {
    /// Whether a store is the library that was asked for.
    public enum Health: Sendable {
        case good

        /// Opened to be read only, up to a damaged place in the log: the commits behind it are missing.
        case incomplete(Damage)

        /// Commits behind the snapshot change pages that are damaged: reads and writes of these trees throw the damage, the
        /// others go on. Trees made from others are made again by `bookdb reindex`; of records
        /// `bookdb repair` saves what is whole.
        case damaged(trees: [String], Damage)

        /// The library could not be opened. The store is an empty one in memory, and every write throws the error.
        case unavailable(LibraryError)
    }

    /// Whether this is the library that was asked for. A store that was opened by `init(at:)` is never unavailable.
    public var health: Health {
        if let unavailability { return .unavailable(unavailability) }
        if let damage = opening.damage { return .incomplete(damage) }
        let trees = snapshot.version.damagedTrees
        guard let first = trees.first else { return .good }
        return .damaged(trees: trees.map { Self.contents.words(of: $0.declaration.number) }, first.damage)
    }
}

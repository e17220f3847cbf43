import StorageEngine

extension BookStore {
    /// Whether a store is the library that was asked for.
    public enum Health: Sendable {
        case good

        /// Opened to be read only, up to a damaged place in the log: the commits behind it are missing.
        case incomplete(Damage)

        /// The library could not be opened. The store is an empty one in memory, and every write throws the error.
        case unavailable(BookError)
    }

    /// Whether this is the library that was asked for. A store that was opened by `init(at:)` is never unavailable.
    public var health: Health {
        if let unavailability { return .unavailable(unavailability) }
        return opening.damage.map { .incomplete($0) } ?? .good
    }
}

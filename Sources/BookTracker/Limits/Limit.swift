/// Something that an app must not exceed, and what this run measured.
struct Limit: Sendable, Equatable {
    enum Amount: Sendable, Equatable {
        case nanoseconds(Int)
        case bytes(Int)

        static func milliseconds(_ count: Int) -> Amount { .nanoseconds(count * 1_000_000) }

        var number: Int {
            switch self {
            case .nanoseconds(let count), .bytes(let count): count
            }
        }

        var words: String {
            switch self {
            case .nanoseconds(let count): Figure.time(nanoseconds: count)
            case .bytes(let count): Figure.bytes(count)
            }
        }
    }

    let name: String
    let allowed: Amount
    /// `nil` where the system does not tell.
    let measured: Amount?
    /// What was done to measure it.
    let work: String

    /// `nil` where nothing was measured.
    var holds: Bool? { measured.map { $0.number < allowed.number } }
}

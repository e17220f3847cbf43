/// A record, of the app or of the library, that links may lead to.
struct LinkedRecord: Hashable, Sendable {
    let target: LinkTarget
    let id: UInt64

    /// For people: `Account a3f09c-4`.
    var words: String { "\(target.words) \(ID<AppRecord>(rawValue: id))" }
}

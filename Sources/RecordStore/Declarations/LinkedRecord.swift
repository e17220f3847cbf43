/// A record, of the app or of the library, that links may lead to.
package struct LinkedRecord: Hashable, Sendable {
    let target: LinkTarget
    let id: UInt64

    package init(target: LinkTarget, id: UInt64) { (self.target, self.id) = (target, id) }

    /// For people: `Account a3f09c-4`.
    package var words: String { "\(target.words) \(ID<AppRecord>(rawValue: id))" }
}

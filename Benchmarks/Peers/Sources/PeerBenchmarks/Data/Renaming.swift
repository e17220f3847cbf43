/// A new title for a work, and where it stands in the list then.
struct Renaming: Sendable {
    let id: Int64
    let title: String
    let place: Int64
    let key: [UInt8]
    let text: String
}

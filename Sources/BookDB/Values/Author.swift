import Filing

/// A person, or a body, who wrote.
public struct Author: Identifiable, Equatable, Sendable {
    /// `.unassigned` until `LibraryTransaction.insert` gives the author an identifier.
    public internal(set) var id: BookDB.ID<Author> = .unassigned

    /// As shown: `J. R. R. Tolkien`.
    public var name: String

    /// As filed: `Tolkien, J. R. R.`.
    public var sortName: String

    /// What a newer version of the library wrote and this one only keeps.
    var unknownFields = UnknownFields()

    /// The sort name is derived from the name unless it is given.
    public init(_ name: String, sortName: String? = nil) {
        self.name = name
        self.sortName = sortName ?? AuthorSortName.derive(from: name)
    }
}

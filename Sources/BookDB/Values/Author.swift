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

    /// The author as a change of `old` is meant: with the name the sort name changes that was derived from it.
    func withSortName(followingFrom old: Author) -> Author {
        guard !name.hasSameBytes(as: old.name), sortName.hasSameBytes(as: old.sortName),
            sortName.hasSameBytes(as: AuthorSortName.derive(from: old.name))
        else { return self }
        var author = self
        author.sortName = AuthorSortName.derive(from: name)
        return author
    }
}

extension Author {
    /// The same author without an identifier: for inserting again what was deleted, or what another library has.
    public var withoutID: Author {
        var copy = self
        copy.id = .unassigned
        return copy
    }
}

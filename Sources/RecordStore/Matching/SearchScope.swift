/// Which texts of a row a search looks through.
public enum SearchScope: Sendable, Hashable, CaseIterable {
    /// All of them, and numbers such as an ISBN.
    case everything

    /// The title alone.
    case titles
}

/// Where a word that is typed may stand.
public enum WordMatching: Sendable, Hashable, CaseIterable {
    /// Anywhere: `bit` finds *Rabbit*.
    case anywhere

    /// At the beginning of a word: `rab` finds *Rabbit*, and `bit` does not.
    case beginnings
}

/// Which texts of a work a search looks through.
public enum SearchScope: Sendable, Hashable, CaseIterable {
    /// Title, subtitle, original title, authors and series, and ISBNs.
    case everything

    /// The title alone.
    case titles
}

/// Where a word that is typed may stand.
public enum WordMatching: Sendable, Hashable, CaseIterable {
    /// Anywhere: `bit` finds *Hobbit*.
    case anywhere

    /// At the beginning of a word: `hob` finds *Hobbit*, and `bit` does not.
    case beginnings
}

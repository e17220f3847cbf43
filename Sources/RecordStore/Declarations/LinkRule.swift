/// What deleting a record does to those that link to it.
public struct LinkRule<Field>: Sendable {
    let action: LinkAction

    /// They are deleted with it, and what links to them is asked in turn.
    public static var cascade: LinkRule { LinkRule(action: .cascade) }

    /// It is not deleted while there are any, unless they go with it: `LibraryError.referenced`.
    public static var deny: LinkRule { LinkRule(action: .deny) }

    /// Nothing: they name what is gone. A link that was declared before ends with this, since versions of an app that take turns leave
    /// each other's links alone.
    public static var keep: LinkRule { LinkRule(action: .keep) }
}

extension LinkRule where Field: ExpressibleByNilLiteral {
    /// Their field becomes `nil`.
    public static var nullify: LinkRule { LinkRule(action: .nullify) }
}

extension LinkRule where Field: RangeReplaceableCollection {
    /// It is taken out of their lists.
    public static var nullify: LinkRule { LinkRule(action: .nullify) }
}

/// The raw value is part of the format; of `keep` nothing is stored.
package enum LinkAction: UInt8 {
    case keep = 0
    case cascade = 1
    case nullify = 2
    case deny = 3
}

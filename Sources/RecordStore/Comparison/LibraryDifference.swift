/// One thing that two libraries do not have alike. The *first* is the one that was asked for its differences, the *second* the other.
public enum LibraryDifference: Sendable {
    /// What a library says of its records: kinds that only one has, and names of fields, orders and links.
    case declaration(DeclarationDifference)

    /// A record that is in one library only, or in both and not the same.
    case record(RecordDifference)

    /// A kind whose records share next to no identifiers, as those of two libraries into which the same was imported: nobody can tell
    /// which belong together, so they are not listed one by one.
    case unrelated(UnrelatedRecords)
}

/// Something that libraries say of their records, and not the same.
public struct DeclarationDifference: Sendable, Hashable {
    public enum Part: String, Sendable {
        case library, kind, field, order, link
    }

    /// `nil` for what is of the whole library.
    public let kind: String?

    public let part: Part

    public let name: String

    /// What the first library says, in words; `nil` where it has no such thing.
    public let first: String?

    public let second: String?
}

/// The records of a kind in two libraries that have no history in common.
public struct UnrelatedRecords: Sendable, Hashable {
    public let kind: String
    public let firstCount: Int
    public let secondCount: Int
}

/// A record that two libraries do not have alike. Holds both snapshots and no record: what it says is read when it is asked.
public struct RecordDifference: Sendable {
    public enum Change: String, Sendable {
        case onlyInFirst, onlyInSecond, changed
    }

    public let kind: String

    /// As text, such as `a3f09c-12`.
    public let id: String

    public let change: Change

    private let contents: @Sendable () throws(LibraryError) -> Contents

    struct Contents: Sendable {
        let label: String?
        let fields: [Field]
    }

    /// A field, as either library has it.
    public struct Field: Sendable, Hashable {
        public let name: String

        /// `nil` where the record has no such field, or is not there.
        public let first: Value?

        public let second: Value?
    }

    public struct Value: Sendable, Hashable {
        /// As an export has it.
        public let json: String

        /// For people: a text as it is, and anything else as JSON.
        public let text: String
    }

    init(
        kind: String, id: UInt64, change: Change, contents: @escaping @Sendable () throws(LibraryError) -> Contents
    ) {
        self.kind = kind
        self.id = ID<AppRecord>(rawValue: id).description
        self.change = change
        self.contents = contents
    }

    /// What people call it, such as a title; `nil` for a record of which only its app knows that.
    ///
    /// - Throws: `LibraryError.damaged` when it cannot be read.
    public var label: String? {
        get throws(LibraryError) { try contents().label }
    }

    /// Of a changed record the fields that differ, in their order; of another all that it has. Reads both records. None of a changed record
    /// whose bytes differ and say the same.
    ///
    /// - Throws: `LibraryError.damaged` when a record cannot be read.
    public var fields: [Field] {
        get throws(LibraryError) { try contents().fields }
    }
}

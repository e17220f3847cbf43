import Filing
import StorageEngine

/// The columns of the list that a predicate can name: `{ $0.year >= 1930 && $0.tag("classics") }`.
public struct WorkColumns: Sendable {
    /// The columns to make a predicate of elsewhere than in the closure of a list.
    public init() {}

    /// The works that a counted filter lets through; `.all` for every one.
    public func counted(_ filter: WorkFilter) -> WorkPredicate {
        WorkPredicate(filter == .all ? .all : .filter(filter))
    }

    public var title: Column<String> { Column { StoredRow.title($0) } }

    /// The authors' names, one comma apart.
    public var authors: Column<String> { Column { StoredRow.authors($0) } }

    public var year: OptionalColumn<Int> { OptionalColumn { StoredRow.year($0) } }

    public var language: OptionalColumn<LanguageCode> { OptionalColumn { StoredRow.language($0) } }

    public var rating: OptionalColumn<Rating> { OptionalColumn { StoredRow.rating($0) } }

    public var dateFinished: OptionalColumn<Day> { OptionalColumn { StoredRow.dateFinished($0) } }

    public var status: CountedColumn<ReadingStatus> { CountedColumn { .status($0) } }

    public var reviewStatus: CountedColumn<ReviewStatus> { CountedColumn { .review($0) } }

    /// A condition of its own: `$0.isOwned`, `!$0.isOwned` or `$0.isOwned == false`.
    public var isOwned: WorkPredicate { WorkPredicate(.filter(.owned)) }

    /// Whether the reader put the work under the tag (on the shelf). Case, marks and punctuation do not count.
    public func tag(_ name: String) -> WorkPredicate {
        WorkPredicate(.member(WorkMembership(.tagList, prefix: LibraryKey.namePrefix(name))))
    }

    /// Whether the work belongs to the series. Case, marks and punctuation do not count.
    public func series(_ name: String) -> WorkPredicate {
        WorkPredicate(.member(WorkMembership(.seriesList, prefix: LibraryKey.namePrefix(name))))
    }

    /// Whether the author wrote the work, alone or with others.
    public func author(_ author: ID<Author>) -> WorkPredicate {
        WorkPredicate(.member(WorkMembership(.authorList, prefix: .bigEndian(author.rawValue))))
    }
}

extension WorkColumns {
    /// A column in which every work has a value. Texts are compared as Swift does, so that `é` as one sign and as two are the same, where a condition on
    /// a field of an app's record compares bytes.
    public struct Column<Value: Equatable & Sendable>: Sendable {
        let read: @Sendable (RawSpan) -> Value

        public static func == (column: Column, value: Value) -> WorkPredicate {
            WorkPredicate(.row { column.read($0) == value })
        }

        public static func != (column: Column, value: Value) -> WorkPredicate { !(column == value) }
    }

    /// A column in which some works have no value. A comparison by size is false for those; `== nil` finds them.
    public struct OptionalColumn<Value: Equatable & Sendable>: Sendable {
        let read: @Sendable (RawSpan) -> Value?

        public static func == (column: OptionalColumn, value: Value?) -> WorkPredicate {
            WorkPredicate(.row { column.read($0) == value })
        }

        public static func != (column: OptionalColumn, value: Value?) -> WorkPredicate { !(column == value) }
    }

    /// A column whose values are counted in the trees, so that asking for one costs nothing for the works that have another.
    public struct CountedColumn<Value: Equatable & Sendable>: Sendable {
        let filter: @Sendable (Value) -> WorkFilter

        public static func == (column: CountedColumn, value: Value) -> WorkPredicate {
            WorkPredicate(.filter(column.filter(value)))
        }

        public static func != (column: CountedColumn, value: Value) -> WorkPredicate { !(column == value) }

        /// Whether the value is one of several.
        public func isOne(of values: Value...) -> WorkPredicate {
            guard let first = values.first else { return WorkPredicate(.not(.all)) }
            return values.dropFirst().reduce(self == first) { $0 || self == $1 }
        }
    }
}

extension WorkColumns.Column where Value == String {
    /// Whether the text holds the other one anywhere; case, marks and punctuation do not count, but for a text of nothing but signs, such as `++`. Every
    /// text holds a blank one.
    public func contains(_ text: String) -> WorkPredicate {
        guard !text.isBlank else { return WorkPredicate(.all) }
        let needle = FoldedText(text)
        guard !needle.isEmpty else {
            let signs = Array(text.utf8)
            return WorkPredicate(.row { Array(read($0).utf8).firstRange(of: signs) != nil })
        }
        return WorkPredicate(.row { FoldedText(read($0)).bytes.firstRange(of: needle.bytes) != nil })
    }
}

extension WorkColumns.OptionalColumn where Value: Comparable {
    public static func < (column: Self, value: Value) -> WorkPredicate { column.holds { $0 < value } }

    public static func <= (column: Self, value: Value) -> WorkPredicate { column.holds { $0 <= value } }

    public static func > (column: Self, value: Value) -> WorkPredicate { column.holds { $0 > value } }

    public static func >= (column: Self, value: Value) -> WorkPredicate { column.holds { $0 >= value } }

    /// Whether the value lies between two, both included.
    public func isIn(_ range: ClosedRange<Value>) -> WorkPredicate { holds { range.contains($0) } }

    private func holds(_ test: @escaping @Sendable (Value) -> Bool) -> WorkPredicate {
        WorkPredicate(.row { row in read(row).map(test) ?? false })
    }
}

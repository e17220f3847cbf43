import StorageEngine

/// A condition on the rows of a list: comparisons of columns, joined by `&&`, `||` and `!`.
///
/// ```swift
/// works.list(by: .author) { $0.year >= 1930 && $0.status == .read && $0.language == "fr" }
/// ```
///
/// It is evaluated on the stored row, without decoding the other fields: some 10 to 50 ns for each row. A column and a value
/// of different types do not compile.
public struct WorkPredicate: Sendable {
    let condition: Condition

    indirect enum Condition: Sendable {
        case all
        /// Every work with the status, and so on; counted in the trees.
        case filter(WorkFilter)
        case row(@Sendable (RawSpan) -> Bool)
        /// The works of an author's list, of those of a series or tag, or with titles that begin so.
        case member(WorkMembership)
        case and(Condition, Condition)
        case or(Condition, Condition)
        case not(Condition)
    }

    init(_ condition: Condition) { self.condition = condition }

    /// The counted filter that it is, and nothing besides; `nil` for any other.
    package var filter: WorkFilter? { if case .filter(let filter) = condition { filter } else { nil } }

    public static func && (left: WorkPredicate, right: WorkPredicate) -> WorkPredicate {
        WorkPredicate(.and(left.condition, right.condition))
    }

    public static func || (left: WorkPredicate, right: WorkPredicate) -> WorkPredicate {
        WorkPredicate(.or(left.condition, right.condition))
    }

    public static func == (predicate: WorkPredicate, value: Bool) -> WorkPredicate { value ? predicate : !predicate }

    public static prefix func ! (predicate: WorkPredicate) -> WorkPredicate {
        WorkPredicate(.not(predicate.condition))
    }
}

extension WorkPredicate.Condition {
    /// A filter that every row passes which passes the whole, and what is left to ask of those rows (`nil` for nothing). The
    /// counted lists then leave out most rows before any is looked at.
    var split: (filter: WorkFilter, rest: WorkPredicate.Condition?) {
        switch self {
        case .all: return (.all, nil)
        case .filter(let filter): return (filter, nil)
        case .and(let left, let right):
            let (leftSplit, rightSplit) = (left.split, right.split)
            if leftSplit.filter != .all { return (leftSplit.filter, Self.joined(leftSplit.rest, right)) }
            if rightSplit.filter != .all { return (rightSplit.filter, Self.joined(left, rightSplit.rest)) }
            return (.all, self)
        case .row, .member, .or, .not: return (.all, self)
        }
    }

    /// That both hold; `nil` for nothing to ask.
    static func joined(
        _ left: WorkPredicate.Condition?, _ right: WorkPredicate.Condition?
    ) -> WorkPredicate.Condition? {
        guard let left else { return right }
        guard let right else { return left }
        return .and(left, right)
    }
}

extension WorkPredicate.Condition {
    /// Whether a work fulfils the condition; a row that cannot be read fulfils none.
    ///
    /// - Parameter isMember: whether the work is in a list that the condition names.
    func holds(_ item: WorkListItem, _ isMember: (WorkMembership) -> Bool) -> Bool {
        item.withRow { row, _, entry in holds(row, entry.facets, isMember) } ?? false
    }

    private func holds(_ row: RawSpan, _ facets: FacetSet, _ isMember: (WorkMembership) -> Bool) -> Bool {
        switch self {
        case .all: true
        case .filter(let filter): filter.facet.map { facets.contains($0) } ?? true
        case .row(let test): test(row)
        case .member(let membership): isMember(membership)
        case .and(let left, let right): left.holds(row, facets, isMember) && right.holds(row, facets, isMember)
        case .or(let left, let right): left.holds(row, facets, isMember) || right.holds(row, facets, isMember)
        case .not(let inner): !inner.holds(row, facets, isMember)
        }
    }
}

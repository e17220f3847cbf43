import ArgumentParser
import BookDB

/// One `--where` of `bookdb ls`: a column, a comparison and a value.
struct WhereClause {
    let predicate: WorkPredicate
    /// `year >= 1990`
    let words: String

    static let columns = [
        "year", "rating", "finished", "language", "status", "review", "owned", "tag", "series", "title", "author",
    ]

    /// - Throws: `ValidationError` that names what cannot be read, and what could stand there.
    init(_ text: String) throws {
        let typed = try ComparisonText(text, example: "year>=1990")
        let column = typed.name.filter { !$0.isWhitespace }.lowercased()
        guard Self.columns.contains(column) else {
            let hint = NearMiss.closest(to: column, among: Self.columns).map { " Did you mean '\($0)'?" } ?? ""
            throw ValidationError(
                "'\(column)' is no column.\(hint) Each is one of \(Self.columns.joined(separator: ", ")).")
        }
        words = "\(column) \(typed.comparison) \(typed.value)"
        predicate = try Comparison(column: column, comparison: typed.comparison, value: typed.value).predicate()
    }
}

/// A column, a comparison and a value, as they were typed.
private struct Comparison {
    let column: String
    let comparison: String
    let value: String

    /// - Throws: `ValidationError` when the value is none of the column's, or the column has no such comparison.
    func predicate() throws -> WorkPredicate {
        let columns = WorkColumns()
        return switch column {
        case "year": try compared(columns.year, "a year, such as 1990") { Int($0) }
        case "rating":
            try compared(columns.rating, "a number of stars in quarters, such as 4.5") { text in
                Double(text).flatMap { stars in Rating(stars: stars).flatMap { $0.stars == stars ? $0 : nil } }
            }
        case "finished": try compared(columns.dateFinished, "a day, such as 2024-03-31") { Day($0) }
        case "language":
            try equal {
                columns.language == $0
            } value: {
                value == "none" ? .some(nil) : LanguageCode(value).map { .some($0) }
            } meaning: {
                "a language, such as fr"
            }
        case "status":
            try equal {
                columns.status == $0
            } value: {
                ReadingStatus(name: value)
            } meaning: {
                "one of \(ReadingStatus.allCases.map(\.name).joined(separator: ", "))"
            }
        case "review":
            try equal {
                columns.reviewStatus == $0
            } value: {
                ReviewStatus(name: value)
            } meaning: {
                "one of \(ReviewStatus.allCases.map(\.name).joined(separator: ", "))"
            }
        case "owned":
            try equal {
                columns.isOwned == $0
            } value: {
                ["yes": true, "no": false][value]
            } meaning: {
                "yes or no"
            }
        case "tag":
            try equal {
                columns.tag($0)
            } value: {
                text
            } meaning: {
                "a tag; one that is called so is \"none\" with its quotes"
            }
        case "series":
            try equal {
                columns.series($0)
            } value: {
                text
            } meaning: {
                "a series; one that is called so is \"none\" with its quotes"
            }
        case "title":
            try equal {
                columns.title.contains($0)
            } value: {
                text
            } meaning: {
                "a part of a title, the letters \"none\" with their quotes"
            }
        default:
            try equal {
                columns.authors.contains($0)
            } value: {
                text
            } meaning: {
                "a part of a name, the letters \"none\" with their quotes"
            }
        }
    }

    /// Letters. Columns that may have no value are asked for by `none`, and these are not: whoever means the letters puts them in quotes.
    private var text: String? {
        switch value {
        case "none": nil
        case "\"none\"": "none"
        default: value
        }
    }

    private func compared<Value: Comparable>(
        _ column: WorkColumns.OptionalColumn<Value>, _ meaning: String, _ parse: (String) -> Value?
    ) throws -> WorkPredicate {
        if value == "none" {
            return try equal {
                column == $0
            } value: {
                .some(Value?.none)
            } meaning: {
                meaning
            }
        }
        guard let value = parse(value) else { throw ValidationError("'\(value)' is not \(meaning).") }
        return switch comparison {
        case "<": column < value
        case "<=": column <= value
        case ">": column > value
        case ">=": column >= value
        case "!=": column != value
        default: column == value
        }
    }

    private func equal<Value>(
        _ equals: (Value) -> WorkPredicate, value parsed: () -> Value?, meaning: () -> String
    ) throws -> WorkPredicate {
        guard let parsed = parsed() else { throw ValidationError("'\(value)' is not \(meaning()).") }
        switch comparison {
        case "=": return equals(parsed)
        case "!=": return !equals(parsed)
        default: throw ValidationError("\(column) has no order to compare by: use = or !=.")
        }
    }
}

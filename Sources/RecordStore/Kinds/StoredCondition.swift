/// A condition on a field of an app's own records, by the name of the field: `amount < -500`. For who has not got the type.
///
/// ```swift
/// let transfers = try snapshot.kind(named: "Transfer")!
/// let large = try transfers.condition("amount", .less, "-500")
/// for record in try snapshot.list(of: transfers, where: [large]).page() { print(record.line) }
/// ```
public struct StoredCondition: Sendable {
    public enum Comparison: String, Sendable, CaseIterable {
        case equal = "="
        case unequal = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    /// `amount < -500`
    public let words: String

    let condition: RecordSelection.Condition
}

extension StoredKind {
    /// A condition on one of its fields.
    ///
    /// What a record lacks is neither less nor greater than a value, and unequal to all. Texts are compared as they are written. A list is
    /// equal to what one of its elements is equal to.
    ///
    /// - Parameter value: in the words of an export: `-12.50`, `2026-11-24`, `a3f09c-12`; `yes` and `no` for flags; `none` for what is absent,
    ///   and `"none"` for a text of these letters.
    /// - Throws: `LibraryError.invalidArgument` for a field that the kind has not, one that cannot be compared, and a value that cannot be
    ///   read.
    public func condition(
        _ field: String, _ comparison: StoredCondition.Comparison, _ value: String
    ) throws(LibraryError) -> StoredCondition {
        guard let field = described.fields.first(where: { name(of: $0) == field }) else {
            let names = fields.map(\.name).joined(separator: ", ")
            throw .invalidArgument(
                "\(name) has no field “\(field)”; " + (names.isEmpty ? "it has none." : "its fields are \(names)."))
        }
        let isList = if case .list = field.type { true } else { false }
        guard let number = field.number, let kind = field.type.comparedKind else {
            throw .invalidArgument("\(words(of: field)), which cannot be compared. Look for it in the whole record.")
        }
        let isOrder = comparison != .equal && comparison != .unequal
        if isOrder, isList || !field.type.hasOrder {
            throw .invalidArgument("\(words(of: field)), which has no order to compare by. Use = or !=.")
        }
        let tag = FieldNumber.tag(number)
        let isOptional = isList || !stored.contains { $0.declaration.isNeverAbsent(tag) }
        let typed: TaggedValue?
        if value == "none" {
            guard isOptional, !isOrder else {
                let reason =
                    isOrder
                    ? "what is absent is neither less nor greater. Use = or !=." : "every record has a value there."
                throw .invalidArgument("\(words(of: field)), and \(reason)")
            }
            typed = nil
        } else {
            guard let read = field.type.value(typed: value) else {
                throw .invalidArgument(
                    "\(words(of: field)), and '\(value)' cannot be read as one. Write \(field.type.example)"
                        + (isOptional ? ", or none for what is absent." : "."))
            }
            typed = read
        }
        let words = "\(name(of: field)) \(comparison.rawValue) \(value)"
        do throws(RecordProblem) {
            let test = OrderDeclaration.Facet(
                tag: tag, kind: kind, isOptional: isOptional, comparison: comparison.stored,
                value: isList ? [] : try OrderDeclaration.Facet.bytes(typed, kind, isOptional: isOptional), name: words)
            return StoredCondition(
                words: words, condition: .init(test: test, value: typed, words: words, isOfElements: isList))
        } catch {
            throw .invalidArgument("The condition “\(words)” cannot be tested: \(error.description).")
        }
    }

    private func name(of field: FieldDescription) -> String {
        fields.first { $0.number == field.number && field.number != nil }?.name ?? field.name
    }

    /// `“amount” of Transfer is money`
    private func words(of field: FieldDescription) -> String {
        "“\(name(of: field))” of \(name) is \(field.type)"
    }
}

extension StoredCondition.Comparison {
    fileprivate var stored: FieldComparison {
        switch self {
        case .equal: .equal
        case .unequal: .unequal
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        }
    }
}

extension OrderDeclaration {
    /// Whether the type that declared the order has a value for the field in every record.
    fileprivate func isNeverAbsent(_ tag: UInt32) -> Bool {
        let components = stands.flatMap(\.components) + tail
        return components.contains { $0.tag == tag && !$0.isOptional && !$0.isOfList && $0.linked == nil }
            || facets.contains { $0.tag == tag && !$0.isOptional }
            || stands.flatMap(\.sums).contains { $0.tag == tag && !$0.isOptional && $0.partTag == nil }
    }
}

/// What is counted in every order of a type, and lists are filtered by: a flag, each case of an enumeration, or a condition.
///
/// ```swift
/// struct Payment: Record {
///     var id: ID<Payment> = .unassigned
///     var amount: Money = 0
///     var isPending = false
///     enum CodingKeys: Int, CodingKey { case id = 0, amount = 1, isPending = 2 }
///     static let schema = Schema {
///         Order("by amount", .descending(\.amount))
///         Facet(\.isPending)
///         Facet("income", \.amount > 0)
///     }
/// }
/// ```
///
/// A type has up to sixteen: a flag and a condition are one each, an enumeration one for each case. An absent value is neither
/// less nor greater than any other, and unequal to all.
public struct RecordFacet<Value: Record>: Sendable {
    let conditions: [RecordCondition<Value>]
    /// For each condition.
    let names: [String]

    /// The records whose flag is set.
    public init(_ flag: KeyPath<Value, Bool> & Sendable) {
        conditions = [RecordCondition(flag, .equal, true)]
        names = [flag.propertyName ?? ""]
    }

    /// The records of each case.
    public init<Case: CaseIterable & RawRepresentable & Encodable & SendableMetatype>(
        _ field: KeyPath<Value, Case> & Sendable
    ) where Case.RawValue: Encodable {
        conditions = Case.allCases.map { RecordCondition(field, .equal, $0) }
        names = Case.allCases.map { "\(field.propertyName ?? "").\($0.rawValue)" }
    }

    /// The records that a condition holds for.
    public init(_ name: String, _ condition: RecordCondition<Value>) {
        conditions = [condition]
        names = [name]
    }
}

extension RecordCondition {
    /// The condition as it is stored.
    ///
    /// - Parameter words: what the condition is of, for errors.
    /// - Throws: `LibraryError.schemaMismatch` for one that cannot be.
    func facet(_ name: String, _ words: String) throws(LibraryError) -> OrderDeclaration.Facet {
        let tag = try RecordKind<Value>.tag(of: self.name, words)
        guard let (fieldKind, isOptional) = kind else {
            throw .schemaMismatch(
                "\(words) is of \(self.name ?? "a field") of type \(fieldType), which cannot be compared.")
        }
        guard isComparable else {
            throw .schemaMismatch(
                "\(words) compares the cases of \(fieldType) by what is stored of them, which need not be their order. Compare "
                    + "with == or !=, or count each case.")
        }
        do throws(RecordProblem) {
            return OrderDeclaration.Facet(
                tag: tag, kind: fieldKind, isOptional: isOptional, comparison: comparison,
                value: try OrderDeclaration.Facet.bytes(value, fieldKind, isOptional: isOptional), name: name)
        } catch {
            throw .schemaMismatch("\(words) compares with what cannot be: \(error.description).")
        }
    }
}

/// A value that a record has several of in a list, with fields of its own: a part of a split payment, a credit of a film.
///
/// ```swift
/// struct Purchase: Record {
///     struct Part: RecordPart {
///         var category = ""
///         var amount: Money = 0
///         enum CodingKeys: Int, CodingKey { case category = 0, amount = 1 }
///     }
///     var id: ID<Purchase> = .unassigned
///     var date = Day(daysSince1970: 0)
///     var parts: [Part] = []
///     enum CodingKeys: Int, CodingKey { case id = 0, date = 1, parts = 2 }
///     static let schema = Schema {
///         Order("by category", .each(\.parts, \.category), .descending(\.date)).sum(each: \.parts, \.amount)
///     }
/// }
/// ```
///
/// Its fields are stored under the numbers of its coding keys, so orders find them without the type. One that was never written is
/// `nil`, 0, `""`, `false`, empty or the first case, whatever its default: that is known to the type alone. An enumeration needs to
/// be `CaseIterable` for it.
public protocol RecordPart: Codable, Sendable {
    associatedtype CodingKeys: CodingKey, RawRepresentable where CodingKeys.RawValue == Int
}

/// A field of the elements of a list.
struct PartField: Sendable {
    let path: AnyKeyPath & Sendable
    let name: String?
    /// The number of its coding key; `nil` for a property that is not stored.
    let number: Int?
    /// What an element has there that lacks it; `nil` for a type that does not say.
    let zero: TaggedValue?

    init<Part: RecordPart, Field>(_ path: KeyPath<Part, Field> & Sendable) {
        zero = TaggedValue.zero(of: Field.self)
        self.path = path
        name = path.propertyName
        number = name.flatMap { Part.CodingKeys(stringValue: $0)?.rawValue }
    }
}

/// Which records of an order a list shows: all, or those of a facet.
public struct RecordFilter<Value: Record>: Hashable, Sendable {
    /// `nil` for all.
    let facet: String?

    public static var all: RecordFilter { RecordFilter(facet: nil) }

    /// The records of a facet, by its name: that of the flag, `method.card` of a case, or the one given to a condition.
    public static func facet(_ name: String) -> RecordFilter { RecordFilter(facet: name) }

    /// The records whose flag is set.
    public static func facet(_ flag: KeyPath<Value, Bool>) -> RecordFilter {
        RecordFilter(facet: flag.propertyName ?? "")
    }

    /// The records of a case.
    public static func facet<Case: RawRepresentable>(_ field: KeyPath<Value, Case>, _ value: Case) -> RecordFilter {
        RecordFilter(facet: "\(field.propertyName ?? "").\(value.rawValue)")
    }
}

/// A field whose type was another before, and reads what that has stored: `Retyped(\.due)`.
///
/// For a type that decodes both, by a `Codable` of its own. Without it a library that knows the field as something else refuses the type, since
/// what is stored would mean something else.
///
/// An order or index by what the field was before goes when the type is first written, since what is written now need not have a place in it.
public struct RecordRetype<Value: Record>: Sendable {
    let path: PartialKeyPath<Value> & Sendable

    public init(_ field: PartialKeyPath<Value> & Sendable) { path = field }
}

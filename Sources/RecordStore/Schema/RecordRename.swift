/// A field that was called otherwise before: `Renamed(\.memo, from: "note")`.
///
/// A field is stored under its number, so to rename it needs no more than the new name. Say this only where another field of the type has the
/// former name now: without it a library that knows the former name takes that for a mistake in the numbers, and refuses the type.
public struct RecordRename<Value: Record>: Sendable {
    let path: PartialKeyPath<Value> & Sendable
    let former: String

    public init(_ field: PartialKeyPath<Value> & Sendable, from former: String) {
        path = field
        self.former = former
    }
}

/// What another catalogue calls an edition: (`goodreads`, `12345`).
///
/// An import that meets the identifier again knows the edition without looking at titles. Two are equal whose bytes are the same, by which an edition
/// is found.
public struct SourceIdentifier: Hashable, Sendable {
    public var source: String
    public var value: String

    /// What a newer version of the library wrote and this one only keeps.
    var unknownFields = UnknownFields()

    public init(source: String, value: String) {
        self.source = source
        self.value = value
    }

    public static func == (left: SourceIdentifier, right: SourceIdentifier) -> Bool {
        left.source.hasSameBytes(as: right.source) && left.value.hasSameBytes(as: right.value)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(source)
        hasher.combine(value)
    }
}

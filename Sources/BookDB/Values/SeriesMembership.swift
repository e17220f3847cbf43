/// A work's place in a series.
public struct SeriesMembership: Hashable, Sendable {
    public var name: String

    /// Text rather than a number, since publishers number volumes "2.5" and "1-3".
    public var number: String?

    /// What a newer version of the library wrote and this one only keeps.
    var unknownFields = UnknownFields()

    public init(name: String, number: String? = nil) {
        self.name = name
        self.number = number
    }
}

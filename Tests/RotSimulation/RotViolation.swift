/// Something that does not hold of a mutated store, as a sentence.
public struct RotViolation: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

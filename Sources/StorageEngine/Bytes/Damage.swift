/// Bytes that are not what was written, and where they lie.
public struct Damage: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file's path.
    public let file: String
    public let byteOffset: Int
    /// The page of a snapshot file, when the place is one.
    public let page: Int?
    /// What is wrong, as the rest of a sentence: "checksum is 9f3a0011, its parent says 11c0ffee".
    public let finding: String

    public init(file: String, byteOffset: Int, page: Int? = nil, finding: String) {
        self.file = file
        self.byteOffset = byteOffset
        self.page = page
        self.finding = finding
    }

    public var description: String {
        let place = page.map { "page \($0) (byte \(byteOffset))" } ?? "byte \(byteOffset)"
        return "\(file), \(place): \(finding)."
    }
}

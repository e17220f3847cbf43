/// Copies of some values, one behind the other.
public struct StoredValues: Sendable {
    public internal(set) var bytes: [UInt8] = []

    /// Where each of them lies; `nil` for a key that was not there.
    public internal(set) var ranges: [Range<Int>?] = []
}

/// A restore: what a store was, or is to be, replaced by.
public struct Restoration: Sendable, Equatable {
    /// The backup's path, as whoever restored it wrote it.
    public let backup: String
    /// The commit that the store was restored to.
    public let commitNumber: UInt64
    /// When that commit was made, milliseconds since 1970; 0 when unknown.
    public let commitTime: UInt64
    /// When it was staged and, once it was carried out, when that was. Milliseconds since 1970.
    public let time: UInt64
}

import StorageEngine

/// The library as it was after one commit: a value that never changes, read without waiting.
///
/// Reading takes no lock and is not disturbed by writes; a snapshot may be kept as long as one likes and passed between
/// actors. What is not there is `nil`; an error means that stored bytes are damaged.
public struct Snapshot: Sendable {
    package let version: Version

    init(_ version: Version) {
        self.version = version
    }

    /// The last commit the snapshot contains.
    public var commitNumber: UInt64 { version.commitNumber }
}

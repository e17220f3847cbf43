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

    /// Whether there is anything to read. While a library is being opened on a slow disk there is not, nor of one that could not be opened:
    /// every read throws why, and lists are *not loaded*, which is not empty.
    public var isLoaded: Bool { version.isLoaded }

    /// Whether the library's log is still being replayed: this is the library as its last compaction left it. The commit that
    /// comes next brings the rest.
    public var isCatchingUp: Bool { version.isCatchingUp }

    /// The last commit the snapshot contains.
    public var commitNumber: UInt64 { version.commitNumber }
}

/// When a commit is acknowledged. Named per commit.
public enum Durability: Int, Sendable, Comparable {
    /// It is visible. The log is written behind; a process that dies may lose the newest of these.
    case memory
    /// It is in the operating system's hands and keeps its place among commits: survives the process, not a power cut.
    case ordered
    /// It is on the medium: survives a power cut. Commits that arrive together share one flush.
    case flushed

    public static func < (left: Durability, right: Durability) -> Bool { left.rawValue < right.rawValue }
}

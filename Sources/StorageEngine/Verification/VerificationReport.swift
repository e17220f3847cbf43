/// What a check of a store's files found.
public struct VerificationReport: Sendable, Equatable {
    /// One thing that was checked.
    public struct Check: Sendable, Equatable {
        public enum Name: String, Sendable, CaseIterable {
            case superblock, checksums, order, cold, log
        }

        public let name: Name
        /// Superblocks, pages, entries, blocks, frames.
        public let itemCount: Int
        public let findingCount: Int
        public var passed: Bool { findingCount == 0 }
    }

    public internal(set) var checks: [Check] = []
    /// Damage outside the trees.
    public internal(set) var damage: [Damage] = []
    /// Damage within the trees of the snapshot.
    public internal(set) var treeFindings: [TreeFinding] = []
    /// What an interrupted, never acknowledged write left at the end of the log: not damage; opening cuts it.
    public internal(set) var tornByteCount = 0
    public internal(set) var generation: UInt64 = 0
    public internal(set) var commitNumber: UInt64 = 0

    public var isSound: Bool { damage.isEmpty && treeFindings.isEmpty }
}

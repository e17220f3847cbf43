/// Which snapshot, down to its last byte.
struct SnapshotIdentity: Equatable, Sendable {
    let store: StoreIdentifier
    let generation: UInt64
    /// Of the superblock.
    let checksum: UInt32
}

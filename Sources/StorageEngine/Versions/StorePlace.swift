/// The store that a version or a transaction is of.
package struct StorePlace: Sendable {
    /// The first eight bytes of the store's identifier: another number in a store that was restored, or repaired.
    package let number: UInt64
    /// Of the snapshot that it lies on.
    package let snapshotPath: String

    init(_ generation: Generation) {
        number = generation.file.superblock.store.bytes.withBytes { $0.loadBigEndian(at: 0) }
        snapshotPath = generation.file.path
    }
}

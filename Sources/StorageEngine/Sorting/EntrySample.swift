/// Some of the entries that a load adds to a tree, the same however they come: those whose keys have the least hashes. A tree is cut into
/// stretches by their keys, and its symbols are chosen by their values.
struct EntrySample: Sendable {
    struct Taken: Sendable {
        /// Of the key.
        let hash: UInt64
        let key: [UInt8]
        let valueByteCount: Int
        /// Empty where the value is too long for a leaf, or values are not kept.
        let value: [UInt8]
    }

    static let empty = EntrySample(entries: [], estimatedCount: 0)

    /// In the order of their hashes.
    let entries: [Taken]
    /// How many entries the load adds, each once: exact where all are here, else by how close the hashes lie (within some 3 %).
    let estimatedCount: Int
}

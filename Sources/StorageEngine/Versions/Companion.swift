/// What an application keeps beside every snapshot that a compaction or a load writes: a file made from one of its trees alone.
package struct Companion: Sendable {
    /// The tree it is made from.
    let tree: TreeNumber
    /// From so many entries on it is made while the trees behind that one are still being written.
    let leastConcurrentCount: Int
    /// Writes the body, given the snapshot as a version. `false` when the snapshot needs none.
    let make: @Sendable (Version, inout CompanionWriter) throws(StorageError) -> Bool

    package init(
        of tree: TreeNumber, leastConcurrentCount: Int = 20_000,
        make: @escaping @Sendable (Version, inout CompanionWriter) throws(StorageError) -> Bool
    ) {
        self.tree = tree
        self.leastConcurrentCount = leastConcurrentCount
        self.make = make
    }
}

extension Version {
    /// What `make` makes of the companion of this version's snapshot, once for all versions of the generation; `nil` when
    /// there is none that can be used.
    package func companion<Content: AnyObject & Sendable>(_ make: (CompanionFile) -> Content?) -> Content? {
        generation.companion(make)
    }
}

/// A home tree as the pages that lead to it describe it: all of it lies in their file.
struct HomeTree {
    let tree: TreeNumber
    let rootPage: UInt32
    let rootChecksum: UInt32
    /// Of its leaves.
    let firstPage: UInt32
    /// The most entries of a leaf.
    let radix: Int
    /// As many bits as any place fits into.
    let placeBitCount: Int
}

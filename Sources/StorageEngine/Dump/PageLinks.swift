/// Which page leads to which, as the branches of a snapshot file say. Leaves are not read.
///
/// Reads every branch once: a page in eighty, so a few megabytes of a store of a million works.
struct PageLinks {
    struct Link {
        /// 0 for a root, which the catalogue leads to.
        let parent: Int
        /// What the parent says the page's is.
        let checksum: UInt32

        var holder: String { parent == 0 ? "the catalogue" : "page \(parent)" }
    }

    private(set) var links: [Int: Link] = [:]
    /// For each tree of the superblock, its pages by level, level 0 (the leaves) first, in key order.
    private(set) var levels: [[[Int]]] = []
    /// Branches whose layout does not fit: what they lead to is not known.
    private(set) var unreadable: [Int] = []

    init() {}

    init(_ file: any File, _ superblock: Superblock) throws(StorageError) {
        for tree in superblock.trees {
            levels.append([])
            guard tree.rootPage != 0 else { continue }
            let level = min(max(Int(tree.height), 1) - 1, NodeLayout.levelLimit)
            levels[levels.count - 1] = Array(repeating: [], count: level + 1)
            try add(Int(tree.rootPage), Link(parent: 0, checksum: tree.rootChecksum), level, file, superblock)
        }
    }

    /// Goes no deeper than the levels there are, and to no page twice.
    private mutating func add(
        _ page: Int, _ link: Link, _ level: Int, _ file: any File, _ superblock: Superblock
    ) throws(StorageError) {
        guard links[page] == nil else { return }
        links[page] = link
        levels[levels.count - 1][level].append(page)
        guard level > 0 else { return }
        let bytes = try DumpedBytes(file, at: page * NodeLayout.pageByteCount, count: NodeLayout.pageByteCount)
        guard let branch = DumpedPage(bytes, superblock), branch.level == level else {
            unreadable.append(page)
            return
        }
        for index in 0..<branch.count {
            let (child, checksum) = branch.child(index)
            try add(child, Link(parent: page, checksum: checksum), level - 1, file, superblock)
        }
    }
}

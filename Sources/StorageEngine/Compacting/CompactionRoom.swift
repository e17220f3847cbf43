extension Compaction {
    /// Refuses a compaction that the disk has no room for, before it fills the disk and commits find none either.
    ///
    /// How large the next snapshot will be nobody knows before it is written: values may have become shorter, and a compaction is how their room
    /// comes back. So what is asked for is three fourths of what the trees' pages come to, when an entry takes what it took; the cold region is not
    /// counted. Costs a look at each tree's root.
    ///
    /// - Throws: `.tooLittleSpace`.
    static func requireSpace(
        for version: Version, in files: StoreFiles, _ fileSystem: any FileSystem
    ) throws(StorageError) {
        let needed = try version.nextSnapshotByteCount()
        try fileSystem.requireSpace(needed, atLeast: needed / 4 * 3, in: files.directory, for: files.directory)
    }
}

extension Version {
    /// What the pages of its trees will come to, about.
    fileprivate func nextSnapshotByteCount() throws(StorageError) -> UInt64 {
        var pageCount = 0.0
        for tree in generation.file.superblock.trees where tree.entryCount > 0 {
            let entryCount = Double(try count(in: tree.declaration.number))
            pageCount += Double(tree.leafPages + tree.branchPages) * min(1, entryCount / Double(tree.entryCount))
        }
        return UInt64(pageCount) * UInt64(NodeLayout.pageByteCount)
    }
}

extension RecordLibrary {
    /// What the library holds in memory, by what it is for. Costs a microsecond or two, on any thread, and reads nothing; of a library in memory
    /// a little more for each of its files.
    ///
    /// Nodes and commits are counted as of the last step of the library's writer: what a transaction makes that is still running is not in it.
    public var footprint: Footprint {
        let (memory, cached) = (database.memory, cache.memory)
        return Footprint([
            .nodes: memory.nodes, .heldNodes: memory.heldNodes, .freeNodes: memory.freeNodes,
            .waitingCommits: memory.waitingCommits, .pageMarks: memory.pageMarks, .cachedValues: cached.values,
            .cacheTable: cached.table, .lists: listMemory.byteCount, .files: memory.files,
            .snapshotFiles: memory.mappedSnapshots, .searchFiles: memory.mappedCompanions,
        ])
    }

    /// Lets go of memory that can be filled again, for when the system asks for it: the decoded values of every `CachedValues` over the library's cache, and
    /// what is known of the cache's directory; and gives back, on the writer, what commits have freed and the library keeps for the next ones. A library in
    /// memory loses the blobs of its cache.
    ///
    /// Snapshots, lists and what was committed stay as they are; pages of the library's file are the system's, which takes them back by itself. Costs microseconds
    /// here and reads nothing. What is left then is in `footprint`; of that a compaction makes the nodes part of the file.
    public func releaseMemory() {
        cache.releaseMemory()
        Task(priority: .high) { [weak database] in await database?.giveBackFreeMemory() }
    }
}

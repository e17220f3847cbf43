extension RecordLibrary {
    /// Lets go of memory that can be filled again, for when the system asks for it: the decoded values of every `CachedValues` over the library's cache, and
    /// what is known of the cache's directory. A library in memory loses the blobs of its cache.
    ///
    /// Snapshots, lists and what was committed stay as they are; pages of the library's file are the system's, which takes them back by itself. Costs microseconds, and reads nothing.
    public func releaseMemory() { cache.releaseMemory() }
}

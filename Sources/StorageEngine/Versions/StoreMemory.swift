/// What an open store has in memory, in bytes, by what it is for.
package struct StoreMemory: Equatable, Sendable {
    /// Memory nodes that the newest version reaches: what was changed since its snapshot.
    package var nodes = 0
    /// Those that only older versions need: of this generation, and all of the generations before it.
    package var heldNodes = 0
    /// What was freed of nodes and is kept for nodes to come.
    package var freeNodes = 0
    /// Commits that are kept until the log, or a new snapshot, has them.
    package var waitingCommits = 0
    /// A bit for each page of a mapped snapshot.
    package var pageMarks = 0
    /// Of a store in memory: its files, and the copies that stand for mappings.
    package var files = 0
    /// Snapshot files that are mapped. Their pages are the system's.
    package var mappedSnapshots = 0
    /// The same of companions.
    package var mappedCompanions = 0

    package init() {}

    mutating func add(_ generation: Generation, isNewest: Bool) {
        let memory = generation.nodeMemory
        nodes += isNewest ? memory.current : 0
        heldNodes += memory.replaced + (isNewest ? 0 : memory.current)
        freeNodes += memory.free
        pageMarks += generation.file.markByteCount
        let companion = generation.companionMapping
        if generation.file.isOfFile {
            mappedSnapshots += generation.file.byteCount
        } else {
            files += generation.file.byteCount
        }
        if companion.isOfFile { mappedCompanions += companion.byteCount } else { files += companion.byteCount }
    }
}

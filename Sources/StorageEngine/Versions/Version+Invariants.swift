extension Version {
    /// Walks every tree and reports what does not hold. Reads every page: for tests and `verify`.
    public func invariantFindings() -> [TreeFinding] {
        declarations.flatMap { declaration in
            var walk = generation.file.walk(declaration)
            walk.walk(trees.root(of: declaration.number))
            return walk.findings
        }
    }
}

extension Version {
    /// What does not hold of the memory of this version's generation, as sentences: that the heap is sound and holds every node that
    /// the version reaches, and, when no other version of it is live, no more than that. To be asked while nothing is written and no
    /// version is let go: for tests and the programs that torture the engine.
    package func memoryFindings() -> [String] { generation.memoryFindings(of: [self]) }
}

extension Generation {
    /// - Parameter versions: some of this generation. When these are all that there were since memory was last reclaimed, the heap
    ///   holds what they reach and no more.
    func memoryFindings(of versions: [Version]) -> [String] {
        let (live, released) = versionNumbers
        var findings = heap.invariantFindings(live: (live + released).sorted())
        var all = MemoryWalk()
        for version in versions {
            var walk = MemoryWalk()
            for place in version.trees.declarations.indices {
                walk.walk(below: version.trees.roots[place].reference)
                all.walk(below: version.trees.roots[place].reference)
            }
            if walk.births.values.contains(where: { $0 > version.commitNumber }) {
                findings.append("version \(version.commitNumber) reaches a node that was born after it")
            }
            if !Set(walk.births.keys).isSubset(of: heap.references) {
                findings.append("version \(version.commitNumber) reaches a node that was freed")
            }
        }
        // Of a tree that could not be read in a replay, what was made of it is still there.
        let isWhole = versions.allSatisfy { $0.damagedTrees.isEmpty }
        if isWhole, released.isEmpty, live == versions.map(\.commitNumber).sorted(), all.allocations != heap.held {
            findings.append("versions \(live) reach \(all.allocations), the heap holds \(heap.held)")
        }
        return findings
    }
}

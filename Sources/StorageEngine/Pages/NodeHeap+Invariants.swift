extension NodeHeap {
    /// Of all allocations.
    var references: Set<UInt64> {
        var references: Set<UInt64> = []
        var next = newest
        while let memory = next {
            references.insert(memory.reference)
            next = memory.older
        }
        return references
    }

    /// What does not hold of the heap, as sentences. Looks at every allocation.
    ///
    /// - Parameter live: as when memory was last reclaimed.
    func invariantFindings(live: [UInt64]) -> [String] {
        var findings: [String] = []
        func check(_ holds: Bool, _ finding: @autoclosure () -> String) { if !holds { findings.append(finding()) } }
        var found = NodeAllocations()
        var births: [UInt64: UInt64] = [:]
        var next = newest
        var newer: NodeMemory?
        while let memory = next {
            found.count += 1
            found.byteCount += memory.byteCount
            check(memory.newer?.reference == newer?.reference, "a node's newer neighbour is another one's")
            check(memory.born <= newer?.born ?? birth, "a node is born after a newer one, or after the newest commit")
            births[memory.reference] = memory.born
            (newer, next) = (memory, memory.older)
            // A ring would have no end.
            guard found.count <= held.count else { break }
        }
        check(oldest?.reference == newer?.reference, "the list does not end with the oldest node")
        check(found == held, "\(found) were found, \(held) were counted")
        check(births.count == found.count, "a node is in the list twice")
        func checkRetired(_ node: Retired) {
            let born = births.removeValue(forKey: node.memory.reference)
            check(born != nil, "a retired node is not in the list, or retired twice")
            check(born ?? node.born == node.born, "a retired node was born in another commit than it was said to be")
            check(node.born < node.retired && node.retired <= birth, "born in \(node.born), retired in \(node.retired)")
        }
        var previous: UInt64 = 0
        for node in retired {
            checkRetired(node)
            check(node.retired >= previous, "retirements do not ascend")
            previous = node.retired
        }
        for (version, nodes) in pinned {
            check(live.contains(version), "nodes are pinned by version \(version), which is not live")
            for node in nodes {
                checkRetired(node)
                check(node.born <= version && version < node.retired, "version \(version) pins what it does not need")
            }
        }
        check(zip(live, live.dropFirst()).allSatisfy(<=), "live versions do not ascend")
        return findings
    }
}

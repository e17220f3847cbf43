/// The pages of a snapshot: what they hold, and that each is reached once.
extension Verifier {
    mutating func checkTrees(_ snapshot: SnapshotFile) {
        let superblock = snapshot.superblock
        var seen = [Bool](repeating: false, count: Int(superblock.pageCount))
        var coldUses: [UInt64: ColdUse] = [:]
        var entryCount = 0
        var checksumFindings = 0
        var orderFindings = 0
        for tree in superblock.trees {
            var walk = snapshot.walk(tree.declaration)
            walk.walk(tree.root)
            // A page of rows that is lost is one finding, that of its tree, however many orders lead there.
            let known = Set(report.treeFindings.compactMap(\.damage.page))
            let findings = walk.findings.filter { finding in
                guard let page = finding.damage.page, page != 0 else { return true }
                return walk.pageNumbers.contains(UInt32(page)) || !known.contains(page)
            }
            for finding in findings {
                // Pages that cannot be read lose entries; pages that can, but lie, do not.
                if finding.lostEntryCount == 0 { orderFindings += 1 } else { checksumFindings += 1 }
            }
            report.treeFindings += findings
            for reference in walk.coldReferences {
                coldUses[reference.block, default: ColdUse()].add(reference, of: tree.declaration.name)
            }
            entryCount += walk.entryCount
            for page in walk.pageNumbers {
                if page == 0 || seen[Int(page)] {
                    add(snapshot.path, page: Int(page), "the page is reached twice")
                    orderFindings += 1
                }
                seen[Int(page)] = true
            }
            if walk.findings.isEmpty { orderFindings += checkTotals(of: tree, walk, snapshot.path) }
        }
        checksumFindings += checkUnreachedPages(snapshot, seen)
        report.checks.append(
            .init(name: .checksums, itemCount: Int(superblock.pageCount), findingCount: checksumFindings))
        report.checks.append(.init(name: .order, itemCount: entryCount, findingCount: orderFindings))
        checkColdRegion(snapshot, coldUses)
    }

    /// Compares what the catalogue says of a tree with what was found in it. Gives how many of its numbers are wrong.
    private mutating func checkTotals(of tree: Superblock.Tree, _ walk: TreeWalk, _ path: String) -> Int {
        let numbers: [(found: Int, one: String, several: String, said: UInt64)] = [
            (walk.entryCount, "entry", "entries", tree.entryCount),
            (walk.pageTotals.height, "level", "levels", UInt64(tree.height)),
            (walk.pageTotals.leafPages, "leaf", "leaves", UInt64(tree.leafPages)),
            (walk.pageTotals.branchPages, "branch", "branches", UInt64(tree.branchPages)),
            (walk.pageTotals.keyByteCount, "byte of keys", "bytes of keys", tree.keyByteCount),
            (walk.pageTotals.valueByteCount, "byte of values", "bytes of values", tree.valueByteCount),
            (walk.pageTotals.usedByteCount, "byte in use", "bytes in use", tree.usedByteCount),
        ]
        let wrong = numbers.filter { UInt64($0.found) != $0.said }
        for number in wrong {
            let what = number.found == 1 ? number.one : number.several
            add(
                path, page: 1,
                "tree \(tree.declaration.name) has \(number.found) \(what), the catalogue says \(number.said)")
        }
        return wrong.count
    }

    /// Pages that no tree reaches were never written: zeros. Below a damaged branch that cannot be told, nor where a feature may have pages
    /// of its own.
    private mutating func checkUnreachedPages(_ snapshot: SnapshotFile, _ seen: [Bool]) -> Int {
        guard report.treeFindings.isEmpty, snapshot.superblock.features.isEmpty else { return 0 }
        var found = 0
        let first = snapshot.superblock.headPageCount
        for page in first..<max(first, seen.count) where !seen[page] {
            let start = page * NodeLayout.pageByteCount
            let stray = snapshot.withBytes { $0.firstNonZero(in: start..<start + NodeLayout.pageByteCount) }
            if stray != nil {
                add(snapshot.path, page: page, "the page holds bytes but belongs to no tree")
                found += 1
            }
        }
        return found
    }
}

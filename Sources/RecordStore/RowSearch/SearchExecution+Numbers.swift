import StorageEngine

extension SearchExecution {
    /// The rows found by a number that pass the filter, but for those that match as typed if they are left out.
    func numberMatches(leavingOutTyped: Bool) throws(StorageError) -> [Match] {
        var matches: [Match] = []
        for position in numberPositions {
            guard let entry = try version.entry(at: position, in: list.tree) else { continue }
            let leaf = try FoldedLeaf(entry, of: list)
            if leavingOutTyped, leaf.text.withBytes({ matcher.matches($0) }) { continue }
            let match = Match(
                rows: SearchRows(version, position: position, .leaf(leaf)), row: 0, beginsWords: false)
            if try isShown(match) { matches.append(match) }
        }
        return matches
    }
}

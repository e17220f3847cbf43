import StorageEngine

/// The works that have an ISBN which begins as typed.
extension SearchExecution {
    /// Of one ISBN beginning at most so many works are found, the first by number.
    static let isbnWorkCount = 1000

    static func positions(
        of isbns: ISBNBeginning, _ version: Version
    ) throws(StorageError) -> [Int] {
        var works: [ID<Work>] = []
        var known: Set<ID<Work>> = []
        for numbers in isbns.numbers {
            let start = try version.lowerBound(of: .bigEndian(numbers.lowerBound), in: LibraryTree.isbns)
            let end = try version.lowerBound(of: .bigEndian(numbers.upperBound), in: LibraryTree.isbns)
            try version.forEachEntry(in: LibraryTree.isbns, positions: start..<max(start, end)) { entry in
                let work = entry.withKey { key in
                    key.byteCount == 24 ? ID<Work>(rawValue: key.loadBigEndian(at: 8)) : nil
                }
                if let work, known.insert(work).inserted { works.append(work) }
                return works.count < isbnWorkCount
            }
        }
        var positions: [Int] = []
        for work in works {
            // A record that cannot be read is found by its words all the same.
            guard let key = try? Snapshot.Works(version: version).key(of: work, in: .title),
                try version.contains(key, in: LibraryTree.title)
            else { continue }
            positions.append(try version.lowerBound(of: key, in: LibraryTree.title))
        }
        return positions.sorted()
    }

    /// The works found by ISBN that pass the filter, but for those that match as typed if they are left out.
    func isbnMatches(leavingOutTyped: Bool) throws(StorageError) -> [Match] {
        var matches: [Match] = []
        for position in isbnPositions {
            guard let entry = try version.entry(at: position, in: LibraryTree.title) else { continue }
            let leaf = try FoldedLeaf(entry)
            if leavingOutTyped, leaf.text.withBytes({ matcher.matches($0) }) { continue }
            let match = Match(rows: SearchRows(version, position: position, .leaf(leaf)), row: 0, beginsWords: false)
            if try isShown(match) { matches.append(match) }
        }
        return matches
    }
}

import StorageEngine

/// The works whose titles begin with what was typed but for a typo or two, and blanks: found in the tree of the titles itself.
///
/// A walk down the keys that leaves out, at each step, all that begin with letters too far from the typed ones: the idea of a
/// Levenshtein automaton over a sorted dictionary (Schulz and Mihov, "Fast string correction with Levenshtein automata", 2002), with
/// the tree for the dictionary. People seldom mistype the first letter, so the titles that share it come first, a small part of the
/// library; the others are looked at, for one typo, when none of those is near.
struct NearTitles {
    struct Member {
        let position: Int
        let marks: SearchMarks
        let distance: TitleDistance
        /// What was typed is more of a short title than of a long one.
        let keyByteCount: Int
    }

    /// So many keys that are far by the same beginning are worth a look for the first that is not.
    private static let farCount = 12

    private let run: SearchRun
    private let patterns: [TitlePattern]

    init(_ run: SearchRun) {
        self.run = run
        patterns = TitlePattern.all(run.query.text, run.query.words, filing: run.filing)
    }

    /// Those that pass the filter, in no order.
    func members() throws(StorageError) -> [Member] {
        var found: [Int: Member] = [:]
        for pattern in patterns {
            let start = try run.version.lowerBound(of: pattern.firstBytes, in: LibraryTree.title)
            let end = try LibraryKey.end(ofPrefix: pattern.firstBytes).map { (end) throws(StorageError) in
                try run.version.lowerBound(of: end, in: LibraryTree.title)
            }
            try walk(pattern, start..<max(start, end ?? run.count), &found)
        }
        if found.isEmpty {
            for pattern in patterns where pattern.allowed > 0 {
                try walk(pattern.allowing(edits: 1), 0..<run.count, &found)
            }
        }
        return Array(found.values)
    }

    private func walk(
        _ pattern: TitlePattern, _ positions: Range<Int>, _ found: inout [Int: Member]
    ) throws(StorageError) {
        // Few titles are longer, and a word of the processor's own is twice as quick as two.
        if pattern.letters.count <= TitleComparison<UInt64>.maximumLetterCount {
            try walk(TitleComparison<UInt64>(pattern), positions, &found)
        } else {
            try walk(TitleComparison<UInt128>(pattern), positions, &found)
        }
    }

    private func walk(
        _ comparison: consuming TitleComparison<some FixedWidthInteger & UnsignedInteger>, _ positions: Range<Int>,
        _ found: inout [Int: Member]
    ) throws(StorageError) {
        var position = positions.lowerBound
        while position < positions.upperBound, !run.isCancelled(),
            let (leaf, start) = try run.version.leaf(at: position, in: LibraryTree.title)
        {
            var near: [(index: Int, distance: TitleDistance, keyByteCount: Int)] = []
            leaf.forEachKey(position - start..<min(leaf.count, positions.upperBound - start)) { index, key in
                if let distance = comparison.distance(to: key) { near.append((index, distance, key.byteCount)) }
            }
            for (index, distance, keyByteCount) in near {
                if let known = found[start + index], known.distance <= distance { continue }
                let entry = leaf.entry(index)
                let marks = try entry.withValue { SearchMarks($0, entry.facets) }
                guard run.facet.map(marks.contains) ?? true else { continue }
                found[start + index] = Member(
                    position: start + index, marks: marks, distance: distance, keyByteCount: keyByteCount)
            }
            position = start + leaf.count
            // Where many begin so that they are far, more of them are likely to follow.
            if comparison.skippedCount >= Self.farCount, position < positions.upperBound,
                let end = LibraryKey.end(ofPrefix: Array(comparison.farPrefix))
            {
                position = max(position, try run.version.lowerBound(of: end, in: LibraryTree.title))
            }
        }
    }
}

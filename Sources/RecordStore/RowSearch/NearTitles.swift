import Filing
import StorageEngine

/// The rows whose titles begin with what was typed but for a typo or two, and blanks: found in the tree of the titles itself.
///
/// A walk down the keys that leaves out, at each step, all that begin with letters too far from the typed ones: the idea of a
/// Levenshtein automaton over a sorted dictionary (Schulz and Mihov, "Fast string correction with Levenshtein automata", 2002), with
/// the tree for the dictionary. People seldom mistype the first letter, so the titles that share it come first, a small part of the
/// library; the others are looked at, for one typo, when none of those is near.
struct NearTitles {
    struct Member {
        let position: Int
        let marks: RowFlags
        let distance: TitleDistance
        /// What was typed is more of a short title than of a long one.
        let keyByteCount: Int
    }

    /// So many keys that are far by the same beginning are worth a look for the first that is not.
    private static let farCount = 4

    /// The letters of ASCII are below, those of other scripts from here on.
    private static let plainEnd: UInt8 = 0x80

    private let run: SearchExecution
    private let patterns: [TitlePattern]

    init(_ run: SearchExecution) {
        self.run = run
        patterns = TitlePattern.all(run.query.text, run.query.words, filing: run.filing)
    }

    /// Those that pass the filter, in no order.
    func members() throws(StorageError) -> [Member] {
        var found: [Int: Member] = [:]
        for pattern in patterns {
            try walk(pattern, from: pattern.firstBytes, to: LibraryKey.end(ofPrefix: pattern.firstBytes), &found)
        }
        if found.isEmpty {
            for pattern in patterns where pattern.allowed > 0 {
                // Who types a letter of one alphabet means none of another.
                let isPlain = pattern.firstBytes[0] < Self.plainEnd
                try walk(
                    pattern.allowing(edits: 1), from: isPlain ? [] : [Self.plainEnd],
                    to: isPlain ? [Self.plainEnd] : nil,
                    &found)
            }
        }
        return Array(found.values)
    }

    private func walk(
        _ pattern: TitlePattern, from first: [UInt8], to end: [UInt8]?, _ found: inout [Int: Member]
    ) throws(StorageError) {
        // Few titles are longer, and a word of the processor's own is twice as quick as two.
        if pattern.letters.count <= TitleComparison<UInt64>.maximumLetterCount {
            try walk(TitleComparison<UInt64>(pattern), from: first, to: end, &found)
        } else {
            try walk(TitleComparison<UInt128>(pattern), from: first, to: end, &found)
        }
    }

    private func walk(
        _ pattern: TitleComparison<some FixedWidthInteger & UnsignedInteger & Sendable>, from first: [UInt8],
        to end: [UInt8]?,
        _ found: inout [Int: Member]
    ) throws(StorageError) {
        var comparison = pattern
        let count =
            try end.map { (end) throws(StorageError) in try run.version.lowerBound(of: end, in: run.list.tree) }
            ?? run.count
        var next = try run.version.leaf(from: first, in: run.list.tree)
        // Behind the first entry that was looked at in the leaf before.
        var behind = 0
        while let (leaf, start, index) = next, start + index < count, !run.isCancelled() {
            guard start + index >= behind else { throw run.version.disorder(in: run.list.tree) }
            behind = start + index + 1
            var near: [(index: Int, distance: TitleDistance, keyByteCount: Int)] = []
            var target: [UInt8]?
            leaf.visitKeys(from: index) { index, key in
                guard start + index < count else { return leaf.count }
                if let distance = comparison.distance(to: key) { near.append((index, distance, key.byteCount)) }
                guard comparison.skippedCount == Self.farCount else { return index + 1 }
                // What makes another letter of the last one is not far yet.
                let end = Array(comparison.farPrefix) + [FilingTailoring.nextLetter]
                let next = leaf.lowerBound(of: end)
                if next == leaf.count { target = end }
                return max(next, index + 1)
            }
            for (index, distance, keyByteCount) in near {
                if let known = found[start + index], known.distance <= distance { continue }
                let entry = leaf.entry(index)
                let marks = try entry.withValue { run.list.flags($0, entry.facets) }
                guard run.facet.map(marks.contains) ?? true else { continue }
                found[start + index] = Member(
                    position: start + index, marks: marks, distance: distance, keyByteCount: keyByteCount)
            }
            if let target {
                next = try run.version.leaf(from: target, in: run.list.tree)
            } else {
                next = try run.version.leaf(at: start + leaf.count, in: run.list.tree).map {
                    ($0.leaf, $0.start, 0)
                }
            }
        }
    }
}

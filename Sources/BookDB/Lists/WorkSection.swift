import Filing
import StorageEngine

/// A part of a list under one heading, such as all titles that begin with M: what an A–Z strip shows.
public struct WorkSection: Hashable, Sendable {
    /// `M`; `1990s` by year; `2024` by the day a work was finished, or by the moment in UTC at which it was added; `4.5` by rating. Empty for works
    /// without the value, which come last. In lists by series one label may come again, as that of Han that stands before and behind kana.
    public let label: String

    /// The indices of its works in the list.
    public let range: Range<Int>

    public var count: Int { range.count }
}

extension WorkItems {
    /// The sections of the list, in its order; none is empty. O(s log n) for s sections: no row is read but the first of each.
    ///
    /// - Throws: `LibraryError.damaged` when a part of the tree cannot be read.
    public var sections: [WorkSection] {
        get throws(LibraryError) {
            if let failure { throw failure }
            return try translatingErrors { try forwardSections() }
        }
    }

    private func filing() -> FilingTailoring {
        do {
            return try LibraryMeta.filing(version)
        } catch {
            // A library whose own tree is damaged says so when it is opened.
            return .standard
        }
    }

    private func forwardSections() throws(StorageError) -> [WorkSection] {
        let (filing, definition) = (filing(), range.index.definition)
        var sections: [WorkSection] = []
        var position = range.positions.lowerBound
        let end = range.positions.upperBound
        while position < end {
            guard let entry = try version.entry(at: position, in: range.index.tree, facet: range.facet) else { break }
            let heading = definition.heading(try entry.withKey { $0.copyBytes(0..<$0.byteCount) }, filing)
            let next =
                try heading.upperBound.map { key throws(StorageError) in
                    try version.lowerBound(of: key, in: range.index.tree, facet: range.facet)
                } ?? end
            let upper = Swift.min(Swift.max(next, position + 1), end)
            // A key that is not where it should be must not make a heading of its own.
            if let last = sections.last, last.label == heading.label {
                sections[sections.count - 1] = WorkSection(label: heading.label, range: last.range.lowerBound..<upper)
            } else {
                sections.append(WorkSection(label: heading.label, range: position..<upper))
            }
            position = upper
        }
        return arranged(sections)
    }

    /// Their positions become indices of this list, cut to this slice.
    private func arranged(_ sections: [WorkSection]) -> [WorkSection] {
        let (start, slice) = (range.positions.lowerBound, startIndex..<endIndex)
        // A part of the list runs backwards, and the rest does not: a section may be in both.
        let parts = [0..<range.reversedCount, range.reversedCount..<range.positions.count]
        var indexed: [WorkSection] = []
        for section in sections {
            let positions = section.range.lowerBound - start..<section.range.upperBound - start
            for part in parts.map(positions.clamped) where !part.isEmpty {
                let ends = (range.mirrored(part.lowerBound), range.mirrored(part.upperBound - 1))
                let indices = Swift.min(ends.0, ends.1)..<Swift.max(ends.0, ends.1) + 1
                indexed.append(WorkSection(label: section.label, range: indices.clamped(to: slice)))
            }
        }
        indexed.removeAll(where: \.range.isEmpty)
        indexed.sort { $0.range.lowerBound < $1.range.lowerBound }
        return indexed.reduce(into: []) { joined, section in
            if let last = joined.last, last.label == section.label {
                let whole = last.range.lowerBound..<section.range.upperBound
                joined[joined.count - 1] = WorkSection(label: section.label, range: whole)
            } else {
                joined.append(section)
            }
        }
    }
}

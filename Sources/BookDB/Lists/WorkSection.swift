import Filing
import StorageEngine

/// A part of a list under one heading, such as all titles that begin with M: what an A–Z strip shows.
public struct WorkSection: Hashable, Sendable {
    /// `M`; `1990s` by year; `2024` by the day a work was added or finished; `4.5` by rating. Empty for works without the
    /// value, which come last.
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
        let filing = filing()
        var sections: [WorkSection] = []
        var position = range.positions.lowerBound
        let end = range.positions.upperBound
        while position < end {
            guard let entry = try version.entry(at: position, in: range.index.tree, facet: range.facet) else { break }
            let heading = SectionHeading.of(entry.withKey { $0.copyBytes(0..<$0.byteCount) }, in: range.index, filing)
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
        let start = range.positions.lowerBound
        let indexed = sections.compactMap { section -> WorkSection? in
            let (first, last) = (section.range.lowerBound - start, section.range.upperBound - 1 - start)
            let ends = [range.mirrored(first), range.mirrored(last)].sorted()
            let indices = Swift.max(ends[0], startIndex)..<Swift.min(ends[1] + 1, endIndex)
            return indices.isEmpty ? nil : WorkSection(label: section.label, range: indices)
        }
        return direction == .forward ? indexed : indexed.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }
}

/// The heading a key belongs under, and the first key behind all that do.
private struct SectionHeading {
    let label: String
    /// `nil` when none comes behind.
    let upperBound: [UInt8]?

    private static let none = SectionHeading(label: "", upperBound: nil)

    static func of(_ key: [UInt8], in index: WorkIndex, _ filing: FilingTailoring) -> SectionHeading {
        switch index {
        case .order(.title): return filed(key, filing)
        case .order(.author), .order(.series): return key.first == 0xFF ? none : filed(key, filing)
        case .author: return filed(key, filing, behind: 8)
        case .language: return filed(key, filing, behind: LanguageCode.byteCount)
        case .tag: return filed(key, filing, behind: key.prefix { $0 != LibraryKey.separator }.count + 1)
        case .series: return none
        case .order(.added): return added(LibraryKey.added(key))
        case .order(.finished): return finished(key)
        case .order(.year): return year(key)
        case .order(.rating):
            let rating = key.first.flatMap { byte in byte <= 20 ? Rating(quarterStars: 20 - byte) : nil }
            return rating.map {
                SectionHeading(label: $0.description, upperBound: LibraryKey.end(ofPrefix: Array(key.prefix(1))))
            } ?? none
        }
    }

    private static func filed(
        _ key: [UInt8], _ filing: FilingTailoring, behind count: Int = 0
    ) -> SectionHeading {
        let section = FilingSection(key: Array(key.dropFirst(count)), tailoring: filing)
        return SectionHeading(label: section.label, upperBound: key.prefix(count) + section.upperBound)
    }

    /// By calendar year, latest first: the last moment of the year before is the first that comes behind.
    private static func added(_ added: Milliseconds) -> SectionHeading {
        guard let start = added.day?.startOfYear else { return none }
        let before = Milliseconds(since1970: Int64(start.daysSince1970) * Milliseconds.ofDay - 1)
        return SectionHeading(label: String(start.year), upperBound: LibraryKey.addedOrder(before, title: []))
    }

    private static func finished(_ key: [UInt8]) -> SectionHeading {
        guard let day = LibraryKey.finished(key), let start = day.startOfYear, start.daysSince1970 > .min else {
            return none
        }
        let before = Day(daysSince1970: start.daysSince1970 - 1)
        return SectionHeading(label: String(start.year), upperBound: LibraryKey.finishedOrder(before, title: []))
    }

    /// By decade, which divides a century of books into as many headings as a screen has room for.
    private static func year(_ key: [UInt8]) -> SectionHeading {
        guard let year = LibraryKey.year(key) else { return none }
        let decade = (year - (year < 0 ? 9 : 0)) / 10 * 10
        return SectionHeading(
            label: "\(decade)s", upperBound: LibraryKey.yearOrder(min(decade + 10, Int(Int16.max)), title: []))
    }
}

extension Day {
    /// `nil` for a year that begins before the first day there is.
    fileprivate var startOfYear: Day? { Day(year: year, month: 1, day: 1) }
}

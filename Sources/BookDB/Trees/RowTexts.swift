import StorageEngine

/// Where the texts of a list row begin, worked out once for all of them. Each ends where the next begins, the cover's URL with the row.
struct RowTexts {
    let title: Int
    let authors: Int
    let otherNames: Int
    private let coverURL: Int
    private let end: Int

    private typealias Layout = WorkListRow.Layout

    /// `nil` for bytes that are no row: their lengths do not fit.
    @inline(__always)
    init?(_ row: RawSpan) {
        guard row.byteCount >= Layout.countsEnd else { return nil }
        let flags = row.byte(at: Layout.flagsOffset)
        // The counts are the last three bytes of these eight.
        let counts = row.loadLittleEndian(at: Layout.countsEnd - 8, as: UInt64.self) >> 40
        guard flags & Layout.longFlag == 0 else {
            self.init(long: row)
            return
        }
        self.init(
            Layout.countsEnd + Self.dayByteCount(flags), Int(counts & 0xFF), Int(counts >> 8 & 0xFF), Int(counts >> 16),
            in: row)
    }

    /// Counts of two bytes each.
    @inline(never)
    private init?(long row: RawSpan) {
        guard row.byteCount >= Layout.longCountsEnd else { return nil }
        func count(_ text: Int) -> Int {
            Int(row.loadLittleEndian(at: Layout.countsOffset + 2 * text, as: UInt16.self))
        }
        self.init(
            Layout.longCountsEnd + Self.dayByteCount(row.byte(at: Layout.flagsOffset)), count(0), count(1), count(2),
            in: row)
    }

    @inline(__always)
    private init?(_ title: Int, _ titleCount: Int, _ authorsCount: Int, _ coverCount: Int, in row: RawSpan) {
        self.title = title
        authors = title + titleCount
        otherNames = authors + authorsCount
        end = row.byteCount
        coverURL = end - coverCount
        if otherNames > coverURL { return nil }
    }

    var titleRange: Range<Int> { title..<authors }
    var authorsRange: Range<Int> { authors..<otherNames }
    var otherNamesRange: Range<Int> { otherNames..<coverURL }
    /// Of the URL as `TurnedURL` has it; empty where there is none.
    var coverRange: Range<Int> { coverURL..<end }

    private static func dayByteCount(_ flags: UInt8) -> Int { 4 * Int(flags >> Layout.finishedBit & 1) }
}

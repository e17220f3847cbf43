import StorageEngine

/// A URL as a list row holds it: its beginning is moved behind the rest. So the ends and the beginnings that the URLs of a site share lie side by side
/// at the end of the row, and a page holds them once.
///
/// ```
/// https://covers.example.org/b/isbn/9780141439518-M.jpg
/// 34  9780141439518-M.jpghttps://covers.example.org/b/isbn/
/// ```
enum TurnedURL {
    /// A byte that says how long the beginning is, then the rest, then the beginning.
    static func append(_ url: String, to bytes: inout [UInt8]) {
        let beginning = beginningByteCount(of: url)
        bytes.append(UInt8(beginning))
        bytes.append(contentsOf: url.utf8.dropFirst(beginning))
        bytes.append(contentsOf: url.utf8.prefix(beginning))
    }

    /// What is the same in the URLs of a site, as far as one alone tells: up to the last slash or equals sign before the first digit behind the third
    /// slash, where a host ends. Nothing with fewer slashes.
    private static func beginningByteCount(of url: String) -> Int {
        var (slashCount, end) = (0, 0)
        for (index, byte) in url.utf8.enumerated() {
            if byte == UInt8(ascii: "/") { slashCount += 1 }
            guard slashCount >= 3 else { continue }
            if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=") { end = index + 1 }
            if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { break }
        }
        return end <= UInt8.max ? end : 0
    }

    /// The URL again; `nil` for bytes that are none.
    @inline(__always)
    static func url(_ row: RawSpan, _ range: Range<Int>) -> String? {
        beginning(row, range).map { row.string(joining: $0, range.lowerBound + 1..<$0.lowerBound) }
    }

    /// Where its beginning lies; `nil` for bytes that are none.
    @inline(__always)
    static func beginning(_ row: RawSpan, _ range: Range<Int>) -> Range<Int>? {
        guard !range.isEmpty else { return nil }
        let byteCount = Int(row.byte(at: range.lowerBound))
        return byteCount < range.count ? range.upperBound - byteCount..<range.upperBound : nil
    }
}

import Filing
import StorageEngine

/// Finds the words of a query in a text as people wrote it.
///
/// Folding loses where a letter came from, so the text is folded character by character: a match covers every character of which
/// a part was matched, with its marks. `ﬁ` is highlighted for an `f`, and `é` whole, however it is written.
package struct SearchHighlighter: Sendable {
    let query: SearchQuery
    /// How far a word may be from the one typed.
    let edits: Int

    package init(query: SearchQuery, edits: Int) { (self.query, self.edits) = (query, edits) }

    package func ranges(in text: String) -> [Range<String.Index>] {
        guard !query.isEmpty else { return [] }
        let folded = FoldedCharacters(text)
        var found: [Range<Int>] = []
        folded.bytes.withBytes { line in
            for (word, pattern) in zip(query.words, query.patterns) {
                let range =
                    Self.place(of: word, in: line) ?? SearchMatcher.joinedRange(of: word, in: line)
                    ?? nearest(to: pattern, in: line)
                if let range { found.append(range) }
            }
        }
        let characters = found.map(folded.characters).sorted { $0.lowerBound < $1.lowerBound }
        var merged: [Range<String.Index>] = []
        for range in characters {
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }

    /// Where the word begins a word, or else where it first is.
    private static func place(of word: [UInt8], in line: RawSpan) -> Range<Int>? {
        guard let first = line.firstOccurrence(of: word) else { return nil }
        var place: Int? = first
        while let offset = place {
            if offset == 0 || SearchText.endsWord(line.byte(at: offset - 1)) { return offset..<offset + word.count }
            place = line.firstOccurrence(of: word, from: offset + 1)
        }
        return first..<first + word.count
    }

    private func nearest(to pattern: TypoPattern, in line: RawSpan) -> Range<Int>? {
        guard edits > 0 else { return nil }
        var nearest: Range<Int>?
        var least = edits + 1
        SearchMatcher.forEachWord(in: line) { word in
            let distance = pattern.edits(line, word, limit: edits)
            if distance < least { (nearest, least) = (word, distance) }
            return true
        }
        return nearest
    }
}

/// A text folded, and which character each byte came from.
private struct FoldedCharacters {
    private(set) var bytes: [UInt8] = []
    private let text: String
    /// For each byte, and the end of the last.
    private var starts: [String.Index] = []
    private var ends: [String.Index] = []

    init(_ text: String) {
        self.text = text
        var folder = TextFolder(expecting: text.utf8.count)
        var index = text.startIndex
        while index < text.endIndex {
            let next = text.index(after: index)
            for scalar in text.unicodeScalars[index..<next] { folder.add(scalar) }
            while starts.count < folder.bytes.count {
                starts.append(index)
                ends.append(next)
            }
            index = next
        }
        bytes = folder.bytes
        if bytes.isEmpty { addUnfolded() }
    }

    /// A text without a letter or digit, which is searched as it is written.
    private mutating func addUnfolded() {
        for index in text.indices {
            let next = text.index(after: index)
            for byte in text[index..<next].utf8 {
                bytes.append(byte > 0x20 && byte != 0x7F ? byte : 0x20)
                starts.append(index)
                ends.append(next)
            }
        }
    }

    func characters(_ range: Range<Int>) -> Range<String.Index> {
        starts[range.lowerBound]..<ends[range.upperBound - 1]
    }
}

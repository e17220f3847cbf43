/// What was typed, taken apart. Every match refers to it, so it is an object.
package final class SearchQuery: Sendable {
    package let text: String
    /// Folded; the last one may still be growing.
    package let words: [[UInt8]]
    /// For each word.
    package let patterns: [TypoPattern]
    package let scope: SearchScope
    package let matching: WordMatching
    /// Whether typos, words run together and words that are not there are forgiven.
    package let isForgiving: Bool

    package init(
        _ text: String, in scope: SearchScope = .everything, _ matching: WordMatching = .anywhere,
        isForgiving: Bool = true
    ) {
        self.text = text
        self.scope = scope
        self.matching = matching
        self.isForgiving = isForgiving
        let words = SearchText.words(text)
        self.words = words
        let forgivesWords = isForgiving && words.count <= Self.forgivingWordCount
        patterns = words.enumerated().map {
            TypoPattern($1, isLast: $0 == words.count - 1, isForgiving: forgivesWords)
        }
    }

    /// What has more words is a title that was pasted: its typos are those of the title.
    private static let forgivingWordCount = 12

    /// Of so many that match as typed none is taken for a mistake.
    package static let enoughCount = 50

    package var isEmpty: Bool { words.isEmpty }

    /// Some of the words, by a bit for each.
    package func words(_ some: UInt64) -> [String] {
        guard some != 0 else { return [] }
        return words.indices.filter { some & 1 << UInt64($0) != 0 }.map { String(decoding: words[$0], as: UTF8.self) }
    }

    /// A bit for each.
    package var allWords: UInt64 { words.count == 64 ? .max : 1 << UInt64(words.count) - 1 }

    /// Letters of some of the words.
    package func letterCount(_ some: UInt64) -> Int {
        patterns.enumerated().reduce(0) {
            $0 + (some & 1 << UInt64($1.offset) != 0 ? $1.element.letterCount : 0)
        }
    }

    /// Whether a word allows so many typos.
    package func allows(edits: Int) -> Bool { patterns.contains { $0.allowed >= edits } }
}

import Filing
import StorageEngine

/// How the texts of a component are compared.
enum Collation: Equatable, Sendable {
    /// Byte by byte.
    case written
    /// As searches see them.
    case folded
    /// As titles are filed: without a leading article, numbers by value, letters where the library files them.
    case filed(Filing)

    struct Filing: Equatable, Sendable {
        /// The library's; an order by another one is made anew.
        var tailoring = FilingTailoring.standard
        /// Of the text that says in which language the other one is, and so which articles are none of it.
        var languageTag: UInt32?
        /// Of the text that is filed in place of the other one where it is there.
        var sortTag: UInt32?
    }

    var filing: Filing? {
        if case .filed(let filing) = self { filing } else { nil }
    }

    mutating func file(by tailoring: FilingTailoring) {
        guard var filing else { return }
        filing.tailoring = tailoring
        self = .filed(filing)
    }

    /// Whether a text has the same place by both, fields beside it left aside.
    func agrees(with other: Collation) -> Bool {
        switch (self, other) {
        case (.written, .written), (.folded, .folded): true
        case (.filed(let one), .filed(let other)): one.tailoring == other.tailoring
        default: false
        }
    }

    /// What a key has for a text.
    func key(_ text: CollatedText) -> [UInt8] {
        switch self {
        case .written: text.bytes.repairedText
        case .folded: FoldedText.key(of: text.bytes)
        case .filed(let filing):
            TitleKey.make(
                title: String(decoding: text.bytes, as: UTF8.self), sortTitle: text.sorted, language: text.language,
                filing: filing.tailoring)
        }
    }

    /// What the keys of all texts begin with that begin with a typed one.
    func prefix(_ typed: String) -> [UInt8] {
        switch self {
        case .written: Array(typed.utf8)
        case .folded: FoldedText.key(of: Array(typed.utf8))
        case .filed(let filing): TitleKey.searchPrefix(typed, filing: filing.tailoring)
        }
    }
}

/// A text with what a record says of how to file it.
struct CollatedText {
    let bytes: [UInt8]
    var language: String?
    var sorted: String?
}

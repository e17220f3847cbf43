import Filing
import RecordStore
import StorageEngine

/// Which part of the library a list is of.
public enum WorkScope: Hashable, Sendable {
    case all
    case author(ID<Author>)

    /// Case, marks and punctuation of the name do not count.
    case series(String)

    /// A tag (a shelf) of the reader's.
    case tag(String)

    case language(LanguageCode)

    /// The works whose title begins so, as titles are filed: case, accents and a leading article of English do not count. A title in
    /// another language is found without its article, which is not part of what it is filed under; a search finds it as it is printed.
    /// No text finds all works, and so does one of blanks.
    case titled(String)

    /// Texts by their bytes, since a name of nothing but signs is filed as it is written: two of them may be equal to Swift, and their lists
    /// are two.
    public static func == (left: WorkScope, right: WorkScope) -> Bool {
        switch (left, right) {
        case (.all, .all): true
        case (.author(let left), .author(let right)): left == right
        case (.language(let left), .language(let right)): left == right
        case (.series(let left), .series(let right)), (.tag(let left), .tag(let right)),
            (.titled(let left), .titled(let right)):
            left.hasSameBytes(as: right)
        default: false
        }
    }

    /// The order in which its list is kept, and which it is shown in unless another is asked for: that of a series by its numbers, others
    /// by title.
    var order: WorkOrder { index.definition.order }

    /// The tree that its list is a stretch of.
    var index: WorkIndex {
        switch self {
        case .all, .titled: WorkOrder.title.index
        case .author: .authorList
        case .series: .seriesList
        case .tag: .tagList
        case .language: .languageList
        }
    }

    /// The first key behind those of its list.
    func end(ofPrefix prefix: [UInt8]) -> [UInt8]? {
        // What makes another letter of the last one, ñ of n, begins another text.
        if case .titled = self { return prefix + [FilingTailoring.nextLetter] }
        return LibraryKey.end(ofPrefix: prefix)
    }

    /// What the keys of its list begin with; nothing when that is the whole order.
    func prefix(in version: Version) throws(LibraryError) -> [UInt8] {
        switch self {
        case .all: []
        case .titled(let text): TitleKey.searchPrefix(text, filing: try LibraryMeta.filing(version))
        case .author(let author): .bigEndian(author.rawValue)
        case .series(let name), .tag(let name): LibraryKey.namePrefix(name)
        case .language(let language): language.bytes
        }
    }
}

import RecordStore
import StorageEngine

extension WorkIndex {
    /// The works in each language.
    static let languageList = WorkIndex.lists(LibraryTree.languageWorks, head: .bytes(LanguageCode.byteCount))
}

extension LibraryTree {
    /// Language, three letters or two and 00 ‖ key in `title` → nothing: the works that have one.
    static let languageWorks = TreeNumber(25)
}

extension WorkIndexDefinition {
    static let languageList = WorkIndexDefinition(
        index: .languageList, name: "language-list", words: "the lists by language", letter: "l",
        listWords: "a language", order: .title,
        addKeys: { work, keys in
            guard let language = work.work.language.flatMap({ LanguageCode($0) }) else { return }
            keys.add(.languageList) { $0.append(contentsOf: language.bytes) }
        },
        heading: { SectionHeading.filed($0, $1, behind: LanguageCode.byteCount) })
}

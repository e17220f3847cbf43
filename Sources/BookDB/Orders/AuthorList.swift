import RecordStore
import StorageEngine

extension WorkIndex {
    /// The works of each author.
    static let authorList = WorkIndex.lists(LibraryTree.authorWorks, head: .bytes(8))
}

extension LibraryTree {
    /// Author ‖ key in `title` → nothing: an author's works, and what has to change when an author's name does.
    static let authorWorks = TreeNumber(20)
}

extension WorkIndexDefinition {
    static let authorList = WorkIndexDefinition(
        index: .authorList, name: "author-list", words: "the lists by author", letter: "w",
        listWords: "the works of an author", order: .title,
        addKeys: { work, keys in
            for author in work.work.authors {
                keys.add(.authorList) { $0.append(bigEndian: author.rawValue) }
            }
        },
        heading: { SectionHeading.filed($0, $1, behind: 8) },
        word: { ID<Author>(rawValue: KeyStretch.firstNumber($0)).description })
}

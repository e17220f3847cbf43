import RecordStore
import StorageEngine

extension WorkIndex {
    /// The works under each tag of the reader's.
    static let tagList = WorkIndex.lists(LibraryTree.tagWorks, head: .text)
}

extension LibraryTree {
    /// Folded tag ‖ 00 ‖ key in `title` → the tag.
    static let tagWorks = TreeNumber(22)
}

extension WorkIndexDefinition {
    static let tagList = WorkIndexDefinition(
        index: .tagList, name: "tag-list", words: "the lists by tag", letter: "g", listWords: "a tag", order: .title,
        needs: [.entry],
        addKeys: { work, keys in
            var names = KeySet()
            for tag in work.entry?.tags ?? [] {
                let head = LibraryKey.namePrefix(tag)
                guard names.insert(head) else { continue }
                keys.add(.tagList, value: tag) { $0.append(contentsOf: head) }
            }
        },
        heading: { SectionHeading.filed($0, $1, behind: $0.prefix { $0 != LibraryKey.separator }.count + 1) })
}

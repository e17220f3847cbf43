import RecordStore
import StorageEngine

/// Works, entries and authors that a commit of the log took away and none behind it put again, where some commits are lost. What lists, indexes and
/// texts still say of them is from before: a commit that is lost changed it, so that the one which took them away did not find it.
struct RemovedRecords {
    private(set) var works: Set<ID<Work>> = []
    /// Works whose entry is gone.
    private(set) var entries: Set<ID<Work>> = []
    private(set) var authors: Set<ID<Author>> = []

    /// Takes in what a commit did. What is put again says that what it belongs to is there again, too.
    mutating func note(_ key: [UInt8], in tree: TreeNumber, isThere: Bool) {
        switch tree {
        case LibraryTree.authors where key.count == 8:
            let id = ID<Author>(rawValue: key.number(at: 0))
            if isThere { authors.remove(id) } else { authors.insert(id) }
        case LibraryTree.books:
            guard let key = BookKey(key) else { return }
            if isThere { works.remove(key.work) }
            switch key.kind {
            case .work: if !isThere { works.insert(key.work) }
            case .entry: if isThere { entries.remove(key.work) } else { entries.insert(key.work) }
            case .edition: break
            }
        case LibraryTree.texts where isThere:
            guard let (work, kind) = Self.text(key) else { return }
            works.remove(work)
            if kind != .description { entries.remove(work) }
        default: break
        }
    }

    /// Whether a record or text belongs to one of them, and so is gone with it.
    func tookAlong(_ key: [UInt8], in tree: TreeNumber) -> Bool {
        switch tree {
        case LibraryTree.books: return BookKey(key).map { works.contains($0.work) } ?? false
        case LibraryTree.texts:
            guard let (work, kind) = Self.text(key) else { return false }
            return works.contains(work) || kind != .description && entries.contains(work)
        default: return false
        }
    }

    private static func text(_ key: [UInt8]) -> (work: ID<Work>, kind: TextKind)? {
        guard key.count == 9, let kind = TextKind(rawValue: key[8]) else { return nil }
        return (ID(rawValue: key.number(at: 0)), kind)
    }
}

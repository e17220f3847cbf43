import RecordStore
import StorageEngine

extension LibraryTransaction {
    mutating func replaceText(
        _ kind: TextKind, of work: ID<Work>, from old: String?, to new: String?
    ) throws(LibraryError) {
        guard !old.hasSameBytes(as: new) else { return }
        let key = LibraryKey.text(work, kind)
        guard let new else { return try remove(key, in: LibraryTree.texts) }
        try put(Array(new.utf8), forKey: key, isNew: old == nil, in: LibraryTree.texts)
    }

    /// - Parameter isNew: whether the tree has no such key: then the entry goes with all others that are new.
    mutating func put(
        _ value: [UInt8], forKey key: [UInt8], facets: FacetSet = [], isNew: Bool, in tree: TreeNumber
    ) throws(LibraryError) {
        if isNew {
            try putLater(value, forKey: key, facets: facets, in: tree)
        } else {
            try put(value, forKey: key, facets: facets, in: tree)
        }
    }

    /// The record of a work, an entry or an edition.
    mutating func put(_ record: [UInt8], forKey key: BookKey, isNew: Bool) throws(LibraryError) {
        try put(record, forKey: key.bytes, facets: key.kind.facets, isNew: isNew, in: LibraryTree.books)
    }

    mutating func remove(_ key: BookKey) throws(LibraryError) { try remove(key.bytes, in: LibraryTree.books) }
}

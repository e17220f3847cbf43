import RecordStore
import StorageEngine

extension LibraryTransaction {
    mutating func replaceText(
        _ kind: TextKind, of work: ID<Work>, from old: String?, to new: String?
    ) throws(LibraryError) {
        guard !old.hasSameBytes(as: new) else { return }
        let key = LibraryKey.text(work, kind)
        if let new {
            try put(Array(new.utf8), forKey: key, in: LibraryTree.texts)
        } else {
            try remove(key, in: LibraryTree.texts)
        }
    }

    /// Moves a work from its old place in the lists to its new one, and writes only what differs.
    mutating func replaceListing(_ old: ListedWork?, with new: ListedWork?) throws(LibraryError) {
        let (oldKeys, newKeys) = (old?.keys.all ?? [], new?.keys.all ?? [])
        let (known, wanted) = (WorkKeyLookup(oldKeys), WorkKeyLookup(newKeys))
        for key in oldKeys where wanted.key(like: key) == nil {
            try removeLater(key.bytes, in: key.index.tree)
        }
        guard let new else { return }
        let facetsDiffer = old?.row.facets != new.row.facets
        for key in newKeys {
            let isWritten = !facetsDiffer && known.key(like: key) == key
            if isWritten, key.index != WorkOrder.title.index || old?.row == new.row { continue }
            try putLater(new.value(of: key), forKey: key.bytes, facets: new.row.facets, in: key.index.tree)
        }
    }
}

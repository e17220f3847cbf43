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
        let (oldStands, newStands) = (old?.place.stands ?? [], new?.place.stands ?? [])
        let (known, wanted) = (WorkStands(oldStands), WorkStands(newStands))
        for stand in oldStands where wanted.stand(like: stand) == nil {
            try remove(stand.key, in: stand.index.tree)
        }
        guard let new else { return }
        let facetsDiffer = old?.row.facets != new.row.facets
        for stand in newStands {
            let isWritten = !facetsDiffer && known.stand(like: stand) == stand
            if isWritten, stand.index != .order(.title) || old?.row == new.row { continue }
            try put(new.value(of: stand), forKey: stand.key, facets: new.row.facets, in: stand.index.tree)
        }
    }
}

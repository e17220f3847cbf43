import StorageEngine

extension LibraryMeta {
    /// What a library is written to with: what is stored, or `new` for one that begins here.
    ///
    /// - Parameters:
    ///   - store: the number of the store that the trees are of.
    ///   - known: what is stored, where that was kept.
    static func forWriting(
        _ trees: borrowing some TreeReadable & ~Copyable, in store: UInt64, new: LibraryMeta, known: LibraryMeta? = nil
    ) throws(LibraryError) -> (stored: LibraryMeta?, meta: LibraryMeta) {
        let stored = if let known { known } else { try LibraryMeta(trees) }
        let newDevice = (trees.attachment as? RecordTypes)?.newDevice
        return (stored, (stored ?? new).entered(store, isNew: stored == nil, newDevice: newDevice))
    }
}

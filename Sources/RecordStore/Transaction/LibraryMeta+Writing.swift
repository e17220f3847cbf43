import StorageEngine

extension LibraryMeta {
    /// What a library is written to with: what is stored, or `new` for one that begins here.
    ///
    /// - Parameter store: the number of the store that the trees are of.
    static func forWriting(
        _ trees: borrowing some TreeReadable & ~Copyable, in store: UInt64, new: LibraryMeta
    ) throws(LibraryError) -> (stored: LibraryMeta?, meta: LibraryMeta) {
        let stored = try LibraryMeta(trees)
        let newDevice = (trees.attachment as? RecordTypes)?.newDevice
        return (stored, (stored ?? new).entered(store, isNew: stored == nil, newDevice: newDevice))
    }
}

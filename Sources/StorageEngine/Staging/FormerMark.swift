/// Keeps the mark of a restore that was staged before, while another is put in its place.
///
///     1  restore → restore-former    on the medium before the name leads to another mark
///     2  tmp → restore               the other one; it counts as soon as its snapshot is there
///     3  restore-former goes         when the other one counts
///
/// Where the other one fails, the former gets its name back by a rename, which needs no space. An opening does the same when it finds the
/// former mark alone, or beside one that cannot be carried out.
struct FormerMark {
    let files: StoreFiles
    let fileSystem: any FileSystem

    /// From here on another mark can be written, and this one is not lost by it.
    func keep() throws(StorageError) {
        guard try isWorthKeeping() else { return }
        try fileSystem.rename(files.restore, to: files.formerRestore)
        do throws(StorageError) {
            try fileSystem.flushDirectory(files.directory)
        } catch {
            try? fileSystem.rename(files.formerRestore, to: files.restore)
            throw error
        }
    }

    /// A mark without its snapshot changes nothing. It must not take the place of one that is kept already.
    private func isWorthKeeping() throws(StorageError) -> Bool {
        guard let mark = try RestoreMark.staged(files, fileSystem) else { return false }
        if try mark.isCarriedOut(files, fileSystem) { return true }
        return try fileSystem.kind(of: files.staged(mark.generation)) == .file
    }

    /// The mark that was written since goes, and the former one is the mark again, where there was one.
    ///
    /// - Parameter other: what was written, `nil` where it cannot be read. Whoever opened the store meanwhile may have put a mark of theirs there.
    func putBack(insteadOf other: RestoreMark?) throws(StorageError) {
        if try fileSystem.kind(of: files.formerRestore) == .file {
            try fileSystem.rename(files.formerRestore, to: files.restore)
        } else if try RestoreMark.read(files.restore, fileSystem)?.store == other?.store {
            try fileSystem.remove(files.restore)
        }
        try fileSystem.flushDirectory(files.directory)
    }

    /// The other one counts. Nothing depends on the removal: an opening looks at the other one first.
    func forget() { try? fileSystem.remove(files.formerRestore) }
}

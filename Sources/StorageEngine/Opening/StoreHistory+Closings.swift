/// What the history says of a log that was cut short: by a copy that ended early, or with its last segment.
///
/// A closing flushes the log and is told in the history behind that, so a commit that a store was closed with was on the medium. That is evidence
/// of what was there, and never of what was not: the history may be missing.
extension StoreHistory {
    /// The newest commit that a process has closed the store with behind a snapshot; `nil` where the history does not say so.
    static func closedCommit(
        behind superblock: Superblock, _ files: StoreFiles, _ fileSystem: any FileSystem
    ) -> UInt64? {
        guard let file = try? fileSystem.openFile(files.history, .reading) else { return nil }
        defer { file.close() }
        let closings = (try? events(in: file))?.filter {
            $0.kind == .closed && $0.generation == superblock.generation && $0.store == superblock.store.beginning
        }
        return closings?.map(\.commitNumber).max()
    }

    /// Why the newest segment of a log ends before it did once; `nil` where nothing says that it does.
    ///
    /// Beside a writer the history may be newer than the look at the log: what a reader finds it looks at again, as it does at any damage.
    static func cut(
        of scan: LogScan, behind superblock: Superblock, _ files: StoreFiles, _ fileSystem: any FileSystem
    ) -> Damage? {
        guard let closed = closedCommit(behind: superblock, files, fileSystem), closed > scan.lastCommit else {
            return nil
        }
        return scan.loss(through: closed, files.log(scan.header.sequence))
    }
}

/// The directories in which backups into files were made whose process was killed. Nobody comes back to one: the next backup has another name,
/// such as one with its date.
struct AbandonedWorkshops {
    let parent: String
    let fileSystem: any FileSystem

    /// Best effort: what cannot be looked at or removed stays.
    func remove() {
        fileSystem.removeWorkshops(
            in: parent, named: { $0.hasSuffix(StoreFiles.temporarySuffix) }, where: isOurs
        ) { (workshop) throws(StorageError) in
            try fileSystem.remove(workshop + "/backup")
            try fileSystem.remove(workshop + "/lock")
            try fileSystem.removeDirectory(workshop)
        }
    }

    /// Whether it is a directory that holds a lock, a backup or what became of one, and nothing else. One without a backup may have just been
    /// made by somebody who is about to take the lock.
    private func isOurs(_ workshop: String) throws(StorageError) -> Bool {
        guard try fileSystem.kindWithoutFollowing(workshop) == .directory,
            Set(try fileSystem.names(inDirectory: workshop)) == ["lock", "backup"]
        else { return false }
        for name in ["lock", "backup"] where try fileSystem.kindWithoutFollowing(workshop + "/" + name) != .file {
            return false
        }
        let file = try fileSystem.openFile(workshop + "/backup", .reading)
        defer { file.close() }
        let magic = try file.read(byteCount: BackupManifest.headMagic.count, at: 0)
        return magic.isEmpty || magic == BackupManifest.headMagic
    }
}

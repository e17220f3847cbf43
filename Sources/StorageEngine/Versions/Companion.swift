/// What an application keeps beside every snapshot that a compaction writes: a file made from the snapshot alone.
package struct Companion: Sendable {
    /// Writes the body, given the snapshot as a version. `false` when the snapshot needs none.
    let make: @Sendable (Version, inout CompanionWriter) throws(StorageError) -> Bool

    package init(make: @escaping @Sendable (Version, inout CompanionWriter) throws(StorageError) -> Bool) {
        self.make = make
    }

    /// Leaves a complete file under its temporary name, or none. It is not flushed: what a power cut leaves of it fails its
    /// checksums, and the store is whole without.
    func write(
        beside snapshot: SnapshotFile, _ files: StoreFiles, _ fileSystem: any FileSystem,
        isCancelled: @escaping () -> Bool
    ) {
        let path = files.temporaryCompanion(snapshot.superblock.generation)
        do throws(StorageError) {
            let file = try fileSystem.openFile(path, .creating)
            defer { file.close() }
            var writer = CompanionWriter(file, isCancelled: isCancelled)
            let version = Version(
                commitNumber: snapshot.superblock.commitNumber, generation: Generation(file: snapshot),
                trees: TreeTable(snapshot.superblock))
            if try make(version, &writer) { return try writer.finish(snapshot.identity) }
        } catch {
            // The store is sound without it, and the next compaction tries again.
        }
        try? fileSystem.remove(path)
    }
}

extension Version {
    /// What `make` makes of the companion of this version's snapshot, once for all versions of the generation; `nil` when
    /// there is none that can be used.
    package func companion<Content: AnyObject & Sendable>(_ make: (CompanionFile) -> Content?) -> Content? {
        generation.companion(make)
    }
}

/// Writes a version out as the next generation's snapshot: every tree scanned in order, laid out afresh.
struct SnapshotBuild {
    let version: Version
    let generation: UInt64
    let logSequence: UInt64
    let files: StoreFiles
    let fileSystem: any FileSystem
    /// Called with the share of entries done; throws to stop.
    let progress: (Double) throws(StorageError) -> Void

    /// Leaves a complete, flushed file under its temporary name, or nothing.
    func write() throws(StorageError) {
        let path = files.temporarySnapshot(generation)
        let superblock = Superblock(
            store: version.generation.file.superblock.store, generation: generation, commitNumber: version.commitNumber,
            created: fileSystem.now(), logSequence: logSequence)
        var writer = try SnapshotWriter(path: path, superblock: superblock, fileSystem)
        do throws(StorageError) {
            try writeTrees(&writer)
            _ = try writer.finish()
        } catch {
            writer.abandon(fileSystem)
            throw error
        }
    }

    private func writeTrees(_ writer: inout SnapshotWriter) throws(StorageError) {
        var total = 0
        for declaration in version.declarations { total += try version.count(in: declaration.number) }
        var done = 0
        var cold = ColdReader(version.generation.file)
        for declaration in version.declarations {
            let reader = version.source(of: declaration.number).reader
            let count = try reader.count(column: 0)
            var tree = try writer.beginTree(declaration, expectedCount: count)
            var failure: StorageError?
            try reader.forEach(0..<count, column: 0) { place in
                do throws(StorageError) {
                    try append(place, to: &tree, &writer, &cold)
                    done += 1
                    if done % 4096 == 0 { try progress(Double(done) / Double(max(total, 1))) }
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
            if let failure { throw failure }
            try writer.endTree(tree)
        }
        try progress(1)
    }

    private func append(
        _ place: TreeReader.Place, to tree: inout SnapshotWriter.OpenTree, _ writer: inout SnapshotWriter,
        _ cold: inout ColdReader
    ) throws(StorageError) {
        let leaf = place.leaf
        let facets = leaf.facets(place.index)
        try leaf.withKey(place.index) { (key) throws(StorageError) in
            try leaf.withCell(place.index) { (word, cell) throws(StorageError) in
                try cold.value(word: word, cell: cell) { (value) throws(StorageError) in
                    try writer.append(key: key, value: value, facets: facets, to: &tree)
                }
            }
        }
    }
}

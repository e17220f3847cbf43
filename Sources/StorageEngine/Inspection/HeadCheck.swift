/// Checks the heads of a store's files: both superblocks of the newest snapshot, and the first bytes of each segment of the log
/// behind it. Reads a page or less of each.
struct HeadCheck {
    let superblock: Superblock
    private(set) var damage: [Damage] = []

    /// Throws when neither superblock can be read.
    init(
        _ files: StoreFiles, _ generation: UInt64, _ sequences: [UInt64], _ fileSystem: any FileSystem
    ) throws(StorageError) {
        let path = files.snapshot(generation)
        let snapshot = try SnapshotFile(opening: path, generation: generation, fileSystem)
        superblock = snapshot.superblock
        if snapshot.usedSpareSuperblock {
            note(path, 0, "the first superblock cannot be read, and its copy serves")
        } else {
            let spare = try SnapshotFile(opening: path, generation: generation, preferringSpare: true, fileSystem)
            let last = snapshot.byteCount - NodeLayout.pageByteCount
            if !spare.usedSpareSuperblock {
                note(path, last, "the copy of the superblock cannot be read")
            } else if spare.superblock != superblock {
                note(path, last, "the two superblocks differ")
            }
        }
        try checkLog(files, sequences.filter { $0 >= superblock.logSequence }, fileSystem)
    }

    private mutating func checkLog(
        _ files: StoreFiles, _ sequences: [UInt64], _ fileSystem: any FileSystem
    ) throws(StorageError) {
        var expected = superblock.logSequence
        for sequence in sequences {
            let path = files.log(sequence)
            let file = try fileSystem.openFile(path, .reading)
            defer { file.close() }
            let bytes = try file.read(byteCount: LogSegmentFormat.headerByteCount, at: 0)
            let header = Result { () throws(StorageError) in
                try bytes.withBytes { (bytes) throws(StorageError) in try LogSegmentHeader(decoding: bytes, path: path)
                }
            }
            // A restore that did not get as far as its rename has left one of another store, far behind the last.
            if case .success(let header) = header, sequence == sequences.last, sequence != expected,
                header.store != superblock.store, header.generation > superblock.generation
            {
                break
            }
            if sequence != expected { note(files.log(expected), 0, "the segment is missing") }
            expected = sequence + 1
            do throws(StorageError) {
                let header = try header.get()
                if let misplacement = header.misplacement(in: path, store: superblock.store, sequence: sequence) {
                    damage.append(misplacement)
                }
            } catch {
                guard case .damaged(let finding) = error else { throw error }
                damage.append(finding)
            }
        }
        if sequences.isEmpty { note(files.log(expected), 0, "the segment is missing") }
    }

    private mutating func note(_ path: String, _ byteOffset: Int, _ finding: String) {
        damage.append(Damage(file: path, byteOffset: byteOffset, finding: finding))
    }
}

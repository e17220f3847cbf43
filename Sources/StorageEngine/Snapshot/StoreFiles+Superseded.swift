extension StoreFiles {
    /// Gives a snapshot and its companion their names. Published is the generation when the directory has been flushed.
    func name(_ generation: UInt64, hasCompanion: Bool, _ fileSystem: any FileSystem) throws(StorageError) {
        if hasCompanion {
            // It is there before its snapshot is, or never: nobody looks for it later. There is none when it failed.
            try? fileSystem.rename(temporaryCompanion(generation), to: companion(generation))
        }
        try fileSystem.rename(temporarySnapshot(generation), to: snapshot(generation))
    }

    /// Unlinks a snapshot and its companion that were written and are not needed. Best effort: what stays behind goes with the next opening.
    func removeUnnamed(_ generation: UInt64, _ fileSystem: any FileSystem) {
        try? fileSystem.remove(temporarySnapshot(generation))
        try? fileSystem.remove(temporaryCompanion(generation))
    }

    /// Unlinks what a published snapshot has made superfluous. Nothing depends on it any more; what cannot be removed now is
    /// removed at the next opening. Snapshots go first and segments in order: who shares the store and finds its snapshot, or the segment
    /// behind its own, gone knows that its log is nobody's any more.
    func removeSuperseded(by superblock: Superblock, _ fileSystem: any FileSystem) {
        let kinds = ((try? fileSystem.names(inDirectory: directory)) ?? []).map(Self.kind(ofName:))
        for case .snapshot(let generation) in kinds where generation < superblock.generation {
            try? fileSystem.remove(snapshot(generation))
        }
        for case .companion(let generation) in kinds where generation < superblock.generation {
            try? fileSystem.remove(companion(generation))
        }
        var sequences: [UInt64] = []
        for case .log(let sequence) in kinds where sequence < superblock.logSequence { sequences.append(sequence) }
        for sequence in sequences.sorted() { try? fileSystem.remove(log(sequence)) }
    }

    /// The number of the generation to come: no snapshot has it, not even one whose publishing failed half-way.
    func nextGeneration(after generation: UInt64, _ fileSystem: any FileSystem) throws(StorageError) -> UInt64 {
        var newest = generation
        for case .snapshot(let generation) in try fileSystem.names(inDirectory: directory).map(Self.kind(ofName:)) {
            newest = max(newest, generation)
        }
        return newest + 1
    }
}

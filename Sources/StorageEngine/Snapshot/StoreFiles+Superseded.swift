extension StoreFiles {
    /// Unlinks what a published snapshot has made superfluous. Nothing depends on it any more; what cannot be removed now is
    /// removed at the next opening.
    func removeSuperseded(by superblock: Superblock, _ fileSystem: any FileSystem) {
        try? fileSystem.remove(snapshot(superblock.generation - 1))
        let names = (try? fileSystem.names(inDirectory: directory)) ?? []
        for case .log(let sequence) in names.map(Self.kind(ofName:)) where sequence < superblock.logSequence {
            try? fileSystem.remove(log(sequence))
        }
    }
}

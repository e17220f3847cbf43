extension StoreFiles {
    /// Looks at a store that others may write to. A reader takes no lock, so a compaction, load or rescue may replace files
    /// between their listing and the last look at them. What then fails, or looks damaged, is looked at again; it is believed
    /// when the store still holds the same files.
    func lookingAgain<Result>(
        _ fileSystem: any FileSystem,
        _ look: (StoreOpening.Contents) throws(StorageError) -> (result: Result, isSound: Bool)
    ) throws(StorageError) -> Result {
        var contents = try StoreOpening.Contents(self, fileSystem)
        // Each further look means that a writer has published a generation meanwhile.
        var missing = 0
        for _ in 0..<Self.lookCount {
            let outcome = Swift.Result { () throws(StorageError) in try look(contents) }
            if case .success(let found) = outcome, found.isSound { return found.result }
            let now = try StoreOpening.Contents(self, fileSystem)
            // A file that was listed and is gone will be missing from the next listing, or the one after.
            if case .failure(.notFound(let path)) = outcome, path != directory, missing < Self.missingLimit {
                missing += 1
                contents = now
                continue
            }
            guard now.snapshots != contents.snapshots || now.logs != contents.logs else {
                return try outcome.get().result
            }
            contents = now
        }
        return try look(contents).result
    }

    private static let lookCount = 50
    private static let missingLimit = 4
}

extension StoreFiles {
    /// Looks at a store that others may write to. A reader takes no lock, so a compaction, load or rescue may replace files
    /// between their listing and the last look at them. What then fails, or looks damaged, is believed when the next look finds
    /// the very same and the store held files of the same names all the while.
    ///
    /// Names alone would not do: a writer may take a file away and later make another under its name.
    ///
    /// - Parameter look: gives the result and what looks damaged about it, `nil` when nothing does.
    func lookingAgain<Result, Finding: Equatable>(
        _ fileSystem: any FileSystem,
        _ look: (StoreOpening.Contents) throws(StorageError) -> (result: Result, finding: Finding?)
    ) throws(StorageError) -> Result {
        var contents = try StoreOpening.Contents(self, fileSystem)
        var last: Swift.Result<Finding, StorageError>?
        var sameCount = 0
        // A look that differs from the one before means that a writer has replaced files meanwhile.
        for _ in 0..<Self.lookCount {
            let outcome = Swift.Result { () throws(StorageError) in try look(contents) }
            let finding: Swift.Result<Finding, StorageError>
            switch outcome {
            case .success((let result, nil)): return result
            case .success((_, let found?)): finding = .success(found)
            case .failure(let error): finding = .failure(error)
            }
            let now = try StoreOpening.Contents(self, fileSystem)
            let isUnchanged = now.snapshots == contents.snapshots && now.logs == contents.logs
            sameCount = !isUnchanged ? 0 : finding == last ? sameCount + 1 : 1
            // A file that was listed and is gone will be missing from the next listing, or the one after.
            let wanted = if case .failure(.notFound) = finding { Self.missingCount } else { 2 }
            if sameCount == wanted { return try outcome.get().result }
            (last, contents) = (finding, now)
        }
        return try look(contents).result
    }

    private static let lookCount = 50
    private static let missingCount = 4
}

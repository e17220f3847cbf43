import BookDB

/// An import that runs by itself: watch its progress, cancel it, wait for its result.
///
/// ```swift
/// let job = store.import(ImportSource(path: path))
/// for await progress in job.progress { bar.value = progress.fraction ?? 0 }
/// let result = try await job.result
/// ```
public final class ImportJob: Sendable {
    /// The newest state after every batch; a slow watcher misses older ones. Ends with the import. For one watcher.
    public let progress: AsyncStream<ImportProgress>

    private let task: Task<ImportResult, any Error>

    init(
        importer: BookImporter, source: ImportSource, options: ImportOptions, dryRun: Bool,
        afterBatch: (@Sendable (ImportBatch) async throws -> Void)?
    ) {
        let (progress, continuation) = AsyncStream.makeStream(
            of: ImportProgress.self, bufferingPolicy: .bufferingNewest(1))
        self.progress = progress
        task = Task {
            defer { continuation.finish() }
            return try await importer.run(source, options: options, dryRun: dryRun) { batch in
                continuation.yield(batch.progress)
                try await afterBatch?(batch)
            }
        }
    }

    /// Asks the import to stop after the batch under way. The result says `wasCancelled` if it did.
    public func cancel() {
        task.cancel()
    }

    /// Waits for the end of the import and returns what it did.
    ///
    /// - Throws: as `BookImporter.run`.
    public var result: ImportResult {
        get async throws { try await task.value }
    }
}

extension BookStore {
    /// Starts to import a file in the background; see `BookImporter`.
    ///
    /// Dropping the job does not stop the import.
    public func `import`(
        _ source: ImportSource, options: ImportOptions = ImportOptions(), dryRun: Bool = false,
        batchSize: Int = 100, durability: Durability = BookImporter.standardDurability,
        afterBatch: (@Sendable (ImportBatch) async throws -> Void)? = nil
    ) -> ImportJob {
        ImportJob(
            importer: BookImporter(store: self, batchSize: batchSize, durability: durability), source: source,
            options: options, dryRun: dryRun, afterBatch: afterBatch)
    }
}

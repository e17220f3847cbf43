import BookDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Brings the books of a file into a library.
///
/// ```swift
/// let importer = BookImporter(store: store)
/// let result = try await importer.run(ImportSource(path: "goodreads_library_export.csv"))
/// print(result.added, result.merged, result.identical, result.differing, result.rejected)
/// ```
///
/// Rows go into the library in batches, each of them one transaction that becomes visible and durable as a whole; the
/// next batch is read meanwhile. A row that cannot be used is told in the result and stops nothing. Importing a file
/// again adds nothing: every row is recognised (see `BookPlacer` for how rows and works meet).
///
/// Cancelling the task stops the import between two batches. The library then has every row of the batches before and
/// nothing of the ones after, `run` returns what was done until then with `wasCancelled` set, and importing the same
/// file once more goes on where it stopped. While the file is still looked through, nothing was done, and `run` throws `CancellationError`.
///
/// Cost: memory for two batches, for what the library keeps in memory until its next compaction, which the import asks for when
/// that is 96 MiB, and for a compaction some 60 bytes a work. A file is looked through twice before.
/// A dry run is an import into a copy of the library that is then thrown away; a snapshot is not copied but linked.
public actor BookImporter {
    /// What batches wait for unless something else is asked: a batch survives a power cut before the next begins.
    public static let standardDurability = Durability.flushed

    /// How many rows one transaction takes.
    public nonisolated let batchSize: Int

    /// What a batch waits for before the next one begins.
    public nonisolated let durability: Durability

    private let store: BookStore

    /// - Precondition: `batchSize` is at least 1.
    public init(store: BookStore, batchSize: Int = 100, durability: Durability = standardDurability) {
        precondition(batchSize > 0, "a batch has at least one row")
        self.store = store
        self.batchSize = batchSize
        self.durability = durability
    }

    /// Imports a source.
    ///
    /// - Parameters:
    ///   - options: how the file is to be read, where that is not told by the file.
    ///   - dryRun: computes the result and leaves the library as it is.
    ///   - afterBatch: is called when the rows of a batch are in the library as durably as asked, before the next batch
    ///     begins. An error it throws stops the import there.
    /// - Throws: `ImportError` when the source cannot be read or is no table of books, `LibraryError` when the library
    ///   cannot be written. Batches before that stay in the library.
    public func run(
        _ source: ImportSource, options: ImportOptions = ImportOptions(), dryRun: Bool = false,
        afterBatch: (@Sendable (ImportBatch) async throws -> Void)? = nil
    ) async throws -> ImportResult {
        let start = ContinuousClock.now
        let rows = try await RowStream.open(source, options: options)
        var run = Run(plan: rows.plan, totalRowCount: rows.totalRowCount, isDryRun: dryRun)
        do {
            if dryRun {
                try await store.withRehearsal { copy in
                    try await perform(rows, into: copy, .memory, recordIn: &run, afterBatch: afterBatch)
                }
            } else {
                try await perform(rows, into: store, durability, recordIn: &run, afterBatch: afterBatch)
            }
        } catch is CancellationError where Task.isCancelled {
            run.result.wasCancelled = true
        } catch LibraryError.cancelled where Task.isCancelled {
            run.result.wasCancelled = true
        }
        run.result.duration = ContinuousClock.now - start
        return run.result
    }
}

extension BookImporter {
    /// Writes batch after batch, reading one ahead.
    private func perform(
        _ rows: RowStream, into store: BookStore, _ durability: Durability, recordIn run: inout Run,
        afterBatch: (@Sendable (ImportBatch) async throws -> Void)?
    ) async throws {
        let placer = BookPlacer(rows.plan, now: Date())
        var next = try await rows.nextBatch(upTo: batchSize)
        while let batch = next {
            try Task.checkCancellation()
            async let following = rows.nextBatch(upTo: batchSize)
            // A task of its own, so that a batch under way is finished and counted although the import is cancelled.
            let writing = Task { try await Self.write(batch, with: placer, to: store, durability) }
            let report = run.take(batch, try await writing.value)
            try await afterBatch?(report)
            // A compaction that fails leaves the library as it was; the status of the library tells of it.
            if await store.changedByteCount() > Self.mostChangedByteCount { _ = try? await store.compact() }
            next = try await following
        }
    }

    /// When the library holds so much in memory it is compacted before the import goes on. Not by the bytes of the log: rows go to
    /// leaves all over twenty trees, and in a large library hardly two of them to the same.
    private static let mostChangedByteCount = 96 << 20

    private static func write(
        _ batch: RowStream.Batch, with placer: BookPlacer, to store: BookStore, _ durability: Durability
    ) async throws -> Written {
        guard !batch.rows.isEmpty else { return Written(outcome: BatchOutcome(), commit: nil) }
        // Of the transaction: by the time that it is durable, others may have written.
        let (outcome, commit) = try await store.write(durability) { library in
            (try place(batch.rows, with: placer, in: &library), library.trees.commitNumber)
        }
        return Written(outcome: outcome, commit: outcome.hasChanges ? commit : nil)
    }

    private static func place(
        _ rows: [RowStream.Batch.Row], with placer: BookPlacer, in library: inout LibraryTransaction
    ) throws(LibraryError) -> BatchOutcome {
        var outcome = BatchOutcome()
        for row in rows {
            do {
                outcome.placements.append((row.line, row.book.title, try placer.place(row.book, in: &library)))
            } catch {
                guard error.isOfData else { throw error }
                outcome.rejects.append(ImportResult.Reject(line: row.line, reason: error.sentence, raw: row.raw))
            }
        }
        return outcome
    }
}

// MARK: What a run has done

extension BookImporter {
    private struct BatchOutcome: Sendable {
        var placements: [(line: Int, title: String, placement: BookPlacement)] = []
        var rejects: [ImportResult.Reject] = []

        var hasChanges: Bool {
            placements.contains { [.added, .merged].contains($0.placement.action) }
        }
    }

    private struct Written: Sendable {
        let outcome: BatchOutcome
        let commit: UInt64?
    }

    private struct Run {
        var result: ImportResult
        private let totalRowCount: Int?

        init(plan: RowPlan, totalRowCount: Int?, isDryRun: Bool) {
            result = ImportResult(plan: plan, isDryRun: isDryRun)
            self.totalRowCount = totalRowCount
        }

        /// Counts a batch that is in the library now.
        mutating func take(_ batch: RowStream.Batch, _ written: Written) -> ImportBatch {
            let rejects = (batch.rejects + written.outcome.rejects).sorted { $0.line < $1.line }
            result.rows += batch.recordCount
            result.bytesRead = batch.bytesRead
            if !result.isDryRun { result.lastCommit = written.commit ?? result.lastCommit }
            var warnings = batch.warnings
            var differences: [ImportResult.Difference] = []
            for (line, title, placement) in written.outcome.placements {
                count(placement)
                warnings += placement.conflicts.map { ImportResult.Warning(line: line, message: $0) }
                differences += placement.differences.map {
                    ImportResult.Difference(line: line, title: title, field: $0.field, kept: $0.kept, given: $0.given)
                }
            }
            result.add(
                rejects: rejects, warnings: warnings.sorted { $0.line < $1.line }, differences: differences,
                leftOutCounts: batch.leftOutCounts, takenColumns: batch.takenColumns)
            return ImportBatch(
                commit: result.isDryRun ? nil : written.commit,
                rows: written.outcome.placements.map { line, title, placement in
                    ImportBatch.Row(line: line, title: title, action: placement.action, work: placement.work)
                },
                rejects: rejects, progress: progress)
        }

        private mutating func count(_ placement: BookPlacement) {
            switch placement.action {
            case .added: result.added += 1
            case .merged: result.merged += 1
            case .identical: result.identical += 1
            case .differing: result.differing += 1
            }
            if !placement.conflicts.isEmpty { result.conflicting += 1 }
            switch placement.evidence {
            case .sourceIdentifier: result.evidence.sourceIdentifier += 1
            case .isbn: result.evidence.isbn += 1
            case .titleAndAuthor: result.evidence.titleAndAuthor += 1
            case .sameInEverything: result.evidence.sameInEverything += 1
            case nil: break
            }
            result.editionsAdded += placement.editionsAdded
            result.authorsAdded += placement.authorsAdded
        }

        private var progress: ImportProgress {
            var progress = ImportProgress()
            progress.rowsRead = result.rows
            progress.bytesRead = result.bytesRead
            progress.totalRows = totalRowCount
            progress.added = result.added
            progress.merged = result.merged
            progress.identical = result.identical
            progress.differing = result.differing
            progress.rejected = result.rejected
            progress.lastCommit = result.lastCommit
            return progress
        }
    }
}

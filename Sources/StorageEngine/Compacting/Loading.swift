/// Adds any number of entries as one commit: sorted, not one by one.
///
/// Where they are many beside what the store holds, the commit *is* the next snapshot:
///
/// 1. The entries are gathered and sorted, beside memory where they are more than fit.
/// 2. The version and the entries are merged into a snapshot under a temporary name, flushed, and proved.
/// 3. A log segment is made that names the generation and the snapshot: until 4 recovery passes it by.
/// 4. The rename publishes it: before it nothing has been added, behind it everything, also after a power cut.
/// 5. The writer moves over; the old snapshot and its segments are unlinked.
///
/// Where they are few they become a transaction, in key order. A load may also make whole trees anew.
struct Loading: Sendable {
    let writer: Writer
    let files: StoreFiles
    let fileSystem: any FileSystem
    let companion: Companion?

    /// Bytes that a collector holds before it sorts them. There are about as many as cores.
    static let memoryByteCount = 24 << 20
    /// Keys and values of a load that is at most this large, and small beside the snapshot, become a transaction.
    private static let transactionByteCount = 32 << 20

    func run<Result: Sendable>(
        _ version: Version, memoryByteCount: Int, _ body: @escaping @Sendable (Load) throws -> Result
    ) async throws -> Result {
        let end = writer.options.onPhase?(.load)
        defer { end?() }
        let load = Load(version: version, files: files, fileSystem, memoryByteCount: memoryByteCount)
        defer {
            for collector in load.collectors { collector.discard() }
            FreedMemory.giveBack(afterWorkOn: load.collectors.byteCount)
        }
        let result = try await CancellationFlag.onThread(.userInitiated, of: writer.work) { _ in try body(load) }
        try await CancellationFlag.onThread(.userInitiated, of: writer.work) { _ in
            try load.collectors.finish()
        }
        if Task.isCancelled { throw StorageError.cancelled }
        let collectors = load.collectors
        guard collectors.entryCount > 0 || !load.replaced.isEmpty else { return result }
        FreedMemory.giveBack(afterWorkOn: collectors.byteCount)
        if isSmall(collectors.byteCount, version) {
            try await commit(version, load)
        } else {
            try await writeSnapshot(version, load)
        }
        return result
    }

    private func isSmall(_ byteCount: Int, _ version: Version) -> Bool {
        byteCount <= Self.transactionByteCount
            && byteCount <= Int(version.generation.file.superblock.fileByteCount) / 8
    }

    // MARK: As a transaction

    private func commit(_ version: Version, _ load: Load) async throws {
        let (runs, replaced) = (load.collectors.runs, load.replaced)
        try await writer.commitLoad(load.note) { transaction in
            for tree in replaced.sorted() { try transaction.removeAll(in: tree) }
            for tree in runs.keys.sorted() {
                guard let declaration = version.trees.declaration(of: tree) else { throw StorageError.undeclared(tree) }
                var entries = try SortedEntries(runs[tree] ?? [], of: declaration)
                while !entries.isAtEnd {
                    try entries.withEntry { (key, facets, value) throws(StorageError) in
                        try transaction.put(value, key, FacetSet(rawValue: facets), tree)
                    }
                    try entries.advance()
                }
            }
        }
    }

    // MARK: As a snapshot

    private func writeSnapshot(_ version: Version, _ load: Load) async throws {
        let generation = try files.nextGeneration(after: version.generation.number, fileSystem)
        let sequence = await writer.successorSequence()
        let file: SnapshotFile
        let successor: LogWriter.Successor
        do {
            file = try await CancellationFlag.onThread(.userInitiated, of: writer.work) { isCancelled in
                // The load's entries are nowhere else, so the snapshot is looked at before it takes the place of the old one.
                try SnapshotBuild(
                    version: version, additions: load.collectors.runs, samples: load.collectors.samples,
                    replaced: load.replaced,
                    generation: generation, logSequence: sequence, files: files, fileSystem: fileSystem
                ) { (_) throws(StorageError) in if isCancelled.isSet { throw .cancelled } }
                .write(with: companion, proves: true) { isCancelled.isSet }
            }
            if Task.isCancelled { throw StorageError.cancelled }
            successor = try await writer.makeSuccessor(file.identity)
            try await publish(generation)
        } catch {
            // Best effort: without a snapshot of that name, what stays behind is passed by and removed at the next opening.
            files.removeUnnamed(generation, fileSystem)
            let isOurs = (try? writer.requireStillOurs()) != nil
            if isOurs, (try? fileSystem.kind(of: files.snapshot(generation))) == .absent {
                try? fileSystem.remove(files.log(sequence))
            }
            throw error
        }
        try await writer.adoptLoad(file, CompanionPlace(files, file, fileSystem), successor, load.note)
        files.removeSuperseded(by: file.superblock, fileSystem)
    }

    private func publish(_ generation: UInt64) async throws {
        try writer.requireStillOurs()
        do throws(StorageError) {
            try files.name(generation, hasCompanion: companion != nil, fileSystem)
        } catch {
            guard (try? fileSystem.kind(of: files.snapshot(generation))) == .absent else {
                throw await writer.refuseAfterLoad(error)
            }
            throw error
        }
        do throws(StorageError) {
            try fileSystem.flushDirectory(files.directory)
        } catch {
            throw await writer.refuseAfterLoad(error)
        }
    }
}

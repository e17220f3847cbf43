import StorageEngine

/// The check of a crash: the store that is opened again keeps the promise made before, every invariant holds, `Verifier`
/// finds the files sound before and after, and it takes a new commit that survives another opening.
public struct Recovery {
    /// The disk that the recovery ran on, recorded for crashes within it.
    public let disk: RecordingDisk
    let opening: OpeningReport
    /// What is promised from then on.
    let promise: Promise

    /// - Parameter promise: what had been promised when the crash came.
    /// - Parameter work: where the engine's own work runs; `nil` for its threads.
    @discardableResult
    package static func run(
        on disk: RecordingDisk, _ promise: Promise, work: (any BackgroundWork)? = nil
    ) async throws -> Recovery {
        do {
            return try await recover(disk, promise, work)
        } catch let error as StorageError {
            throw CrashHistory.Violation(description: "\(error)")
        }
    }

    private static func recover(
        _ disk: RecordingDisk, _ kept: Promise, _ work: (any BackgroundWork)?
    ) async throws -> Recovery {
        var promise = kept
        try verify(disk, mayBeMissing: kept.allowsNothing)
        let database = try SimulatedStore.open(disk, work: work)
        let (commit, contents) = (database.version.commitNumber, try SimulatedStore.contents(of: database.version))
        if let objection = kept.objection(to: commit, contents) {
            throw CrashHistory.Violation(description: objection)
        }
        let findings = database.version.invariantFindings()
        guard findings.isEmpty else { throw CrashHistory.Violation(description: "\(findings)") }
        // What was shown must stay.
        if !database.opening.isNameInDoubt { promise.acknowledge(commit, contents, at: disk.operationCount) }
        // It goes on: a new commit, and another opening.
        let change = [SimulatedStore.Change(tree: SimulatedStore.hot, key: 200, value: [UInt8(commit & 0xFF)])]
        let (expected, _) = SimulatedStore.applying(change, to: contents)
        promise.submit(commit + 1, expected, at: disk.operationCount)
        try await database.write { try SimulatedStore.apply(change, in: &$0) }
        promise.acknowledge(commit + 1, expected, at: disk.operationCount)
        try await database.close()
        let reopened = try SimulatedStore.open(disk, work: work)
        guard try SimulatedStore.contents(of: reopened.version) == expected else {
            throw CrashHistory.Violation(
                description: "a commit after recovery did not survive: wrote \(commit + 1) after \(database.opening), "
                    + "found \(reopened.version.commitNumber) after \(reopened.opening)")
        }
        try await reopened.close()
        try verify(disk, mayBeMissing: false)
        return Recovery(disk: disk, opening: database.opening, promise: promise)
    }

    package static func verify(_ disk: RecordingDisk, mayBeMissing: Bool) throws {
        // Before the first snapshot has its name there is no store to verify, and nothing was promised.
        guard disk.files.keys.contains(where: { $0.hasPrefix("snapshot-") && !$0.contains("tmp") }) else {
            guard mayBeMissing else { throw CrashHistory.Violation(description: "the snapshot is gone") }
            return
        }
        let report = try Verifier.verify(at: SimulatedStore.path, fileSystem: disk)
        guard report.isSound else {
            throw CrashHistory.Violation(description: "verify: \(report.damage) \(report.treeFindings)")
        }
    }
}

extension CrashHistory {
    /// Checks every crash of the history as the explorer makes them and, `depth` - 1 times over, every crash of the
    /// recoveries from them, with few states at each of every `stride` boundaries.
    public func check(depth: Int, _ explorer: inout CrashExplorer) async throws -> CrashCoverage {
        var coverage = try await Self.check(disk, promise, depth: depth, &explorer)
        coverage.histories = 1
        coverage.failedCalls = disk.failedCallCount
        return coverage
    }

    static func check(
        _ disk: RecordingDisk, _ promise: Promise, depth: Int, _ explorer: inout CrashExplorer
    ) async throws -> CrashCoverage {
        var inner = CrashCoverage()
        let stride = explorer.stride
        try await explorer.explore(disk) { crash in
            let recovery: Recovery
            do {
                recovery = try await Recovery.run(on: crash.disk, promise.kept(at: crash.operationCount))
            } catch let violation as Violation {
                throw violation.behind(disk.trail(to: crash.operationCount))
            }
            inner.note(recovery.opening)
            // Behind a kill the power cut is still to come.
            guard depth > 1 || crash.isKill else { return }
            var nested = CrashExplorer(seed: UInt64(inner.states + crash.operationCount))
            nested.exhaustiveCount = 1
            nested.sampleCount = 1
            nested.stride = depth > 1 ? stride : 7
            nested.killStride = depth > 1 ? 3 : 0
            inner += try await check(recovery.disk, recovery.promise, depth: max(1, depth - 1), &nested)
        }
        inner += explorer.coverage
        return inner
    }
}

import StorageEngine
import TestSupport
import Testing

@testable import CrashSimulation

/// Restores that a disk fails, commits that are acknowledged afterwards, and then a power cut.
@Suite struct FailedRestoreCrashTests {
    private static let backup = "Backup"

    private func put(_ key: UInt8, _ store: Database) async throws {
        try await store.write(.flushed) { try $0.put([key, 7], forKey: [key], in: SimulatedStore.hot) }
    }

    private func contents(_ keys: ClosedRange<UInt8>, and more: UInt8? = nil) -> Promise.Contents {
        SimulatedStore.applying(
            (Array(keys) + [more].compactMap(\.self)).map {
                SimulatedStore.Change(tree: SimulatedStore.hot, key: $0, value: [$0, 7])
            }, to: [:]
        ).0
    }

    /// A store of nine commits, open, and its backup after the fifth on another disk.
    private func prepared(_ image: DiskImage = DiskImage(files: nil)) async throws
        -> (store: Database, recording: RecordingDisk, rest: MemoryFileSystem)
    {
        let rest = MemoryFileSystem()
        let recording = RecordingDisk(directory: SimulatedStore.path, image: image)
        let store = try SimulatedStore.open(SplitDisks(recording, beside: rest))
        for key in 1...5 as ClosedRange<UInt8> { try await put(key, store) }
        _ = try await store.backup(to: Self.backup)
        for key in 6...9 as ClosedRange<UInt8> { try await put(key, store) }
        return (store, recording, rest)
    }

    private func stage(
        _ commit: UInt64, _ recording: RecordingDisk, _ rest: MemoryFileSystem, replacing: Bool = true
    ) async throws {
        let plan = try RestorePlan(.commit(commit), from: Backup(at: Self.backup, fileSystem: rest))
        _ = try await Database.stageRestore(
            plan, at: SimulatedStore.path, replacing: replacing, fileSystem: SplitDisks(recording, beside: rest))
    }

    /// The flush behind the mark's name failed, and so did that of their removal. Both names came back with the power cut, and the restore
    /// that was reported as failed replaced every commit since.
    @Test(arguments: [false, true])
    func `a staging that fails is never carried out, and leaves the one before it`(hasFormer: Bool) async throws {
        var failureCount = 0
        for passing in 0... {
            let (store, recording, rest) = try await prepared()
            if hasFormer { try await stage(3, recording, rest) }
            recording.fail(DiskFault(.flushDirectory, after: passing, times: nil))
            let isStaged: Void? = try? await stage(4, recording, rest)
            let isFailing = recording.failedCallCount > 0
            recording.fail(nil)
            try await put(40, store)
            let old = hasFormer ? contents(1...3) : contents(1...9, and: 40)
            try await expectContents(
                [isStaged == nil ? old : contents(1...4)], afterPowerCutOf: recording, "after \(passing) flushes")
            try await store.close()
            guard isFailing else { break }
            failureCount += 1
            #expect(isStaged == nil)
        }
        #expect(failureCount > 1)
    }

    /// The removal of a mark whose restore is given up was not flushed.
    @Test func `a restore that is given up at an opening is not carried out by a later one`() async throws {
        for passing in 0...3 {
            let (store, recording, rest) = try await prepared()
            try await stage(4, recording, rest)
            let killed = recording.afterKill(
                operationCount: recording.operationCount, medium: recording.medium())
            killed.fail(DiskFault(.flushDirectory, after: passing, times: nil))
            var options = Options(compaction: .manual)
            options.keepsHistory = false
            options.admission = { version, _ throws(StorageError) in
                version.commitNumber == 4 ? .refuse(.outdated(path: SimulatedStore.path)) : .show
            }
            let old = try? Database.open(
                at: SimulatedStore.path, trees: SimulatedStore.trees, options: options, fileSystem: killed)
            let isWritten: Void?
            if let old { isWritten = try? await put(40, old) } else { isWritten = nil }
            let kept = contents(1...9, and: 40)
            try await expectContents(
                isWritten == nil ? [contents(1...9), kept, contents(1...4)] : [kept], afterPowerCutOf: killed,
                "after \(passing) flushes")
            try? await old?.close()
            try await store.close()
        }
    }

    /// There is no older snapshot by which the next opening could doubt the name, so commits went to a library that a power cut took whole.
    @Test func `a restore into a new place whose name was not flushed keeps what is written to it`() async throws {
        let (store, _, rest) = try await prepared()
        try await store.close()
        var failureCount = 0
        for passing in 0... {
            let recording = RecordingDisk(directory: SimulatedStore.path, image: DiskImage(files: nil))
            try await stage(4, recording, rest, replacing: false)
            recording.fail(DiskFault(.flushDirectory, after: passing))
            let first = try? SimulatedStore.open(recording)
            try await first?.close()
            let isFailing = recording.failedCallCount > 0
            recording.fail(nil)
            let restored = try SimulatedStore.open(recording)
            #expect(restored.lastRestore?.commitNumber == 4)
            try await put(40, restored)
            try await expectContents([contents(1...4, and: 40)], afterPowerCutOf: recording, "after \(passing) flushes")
            try await restored.close()
            guard isFailing else { break }
            failureCount += 1
        }
        #expect(failureCount > 2)
    }

    /// The mark is all that says that the name is not on the medium for sure. It was dropped where it could not be read.
    @Test func `a restore into a new place whose mark has rotted keeps what is written to it`() async throws {
        let (store, _, rest) = try await prepared()
        try await store.close()
        let recording = RecordingDisk(directory: SimulatedStore.path, image: DiskImage(files: nil))
        try await stage(4, recording, rest, replacing: false)
        recording.fail(DiskFault(.flushDirectory, after: 1))
        #expect(throws: StorageError.self) { try SimulatedStore.open(recording) }
        recording.fail(nil)
        let mark = try recording.openFile(SimulatedStore.path + "/restore", .writing)
        try mark.write([0], at: 20)
        try mark.flush(.durable)
        for key in [40, 41] as [UInt8] {
            let restored = try SimulatedStore.open(recording)
            #expect(restored.opening.isNameInDoubt == (key == 40))
            #expect(restored.opening.restoreFailure != nil)
            try await put(key, restored)
            let expected = SimulatedStore.applying(
                [SimulatedStore.Change(tree: SimulatedStore.hot, key: key, value: [key, 7])],
                to: contents(1...4, and: 40)
            ).0
            try await expectContents([expected], afterPowerCutOf: recording, "key \(key)")
            try await restored.close()
        }
        let last = try SimulatedStore.open(recording)
        #expect(last.opening.restoreFailure == nil)
        try await last.close()
    }

    /// The name is given once more by two renames.
    @Test func `a crash while a restored snapshot gets its name once more leaves the restored store`() async throws {
        let (store, _, rest) = try await prepared()
        try await store.close()
        let recording = RecordingDisk(directory: SimulatedStore.path, image: DiskImage(files: nil))
        try await stage(4, recording, rest, replacing: false)
        let staged = recording.operationCount
        // The segment's name is flushed before.
        recording.fail(DiskFault(.flushDirectory, after: 1))
        #expect(throws: StorageError.self) { try SimulatedStore.open(recording) }
        recording.fail(nil)
        let restored = try SimulatedStore.open(recording)
        let opened = recording.operationCount
        try await put(40, restored)
        let written = recording.operationCount
        try await restored.close()
        var explorer = CrashExplorer(seed: 5)
        explorer.killStride = 1
        try await explorer.explore(recording) { crash in
            guard crash.operationCount >= staged else { return }
            for _ in 0..<2 {
                let found = try SimulatedStore.open(crash.disk)
                let held = try SimulatedStore.contents(of: found.version)
                let trail = "behind operation \(crash.operationCount)\n\(recording.trail(to: crash.operationCount))"
                #expect(found.lastRestore?.commitNumber == 4, "\(trail)")
                #expect(held == contents(1...4, and: 40) || held == contents(1...4), "\(trail)")
                #expect(crash.operationCount < written || held == contents(1...4, and: 40), "\(trail)")
                try await found.close()
            }
        }
        #expect(opened < written && explorer.coverage.kills > 10)
    }

    @Test func `a crash while another restore is staged leaves the one or the other`() async throws {
        let (store, recording, rest) = try await prepared()
        try await stage(3, recording, rest)
        let begun = recording.operationCount
        try await stage(4, recording, rest)
        let staged = recording.operationCount
        var explorer = CrashExplorer(seed: 6)
        explorer.exhaustiveCount = 3
        explorer.sampleCount = 8
        explorer.killStride = 3
        var counts = (former: 0, new: 0)
        try await explorer.explore(recording) { crash in
            guard crash.operationCount >= begun else { return }
            let found = try SimulatedStore.open(crash.disk)
            let held = try SimulatedStore.contents(of: found.version)
            let trail = "behind operation \(crash.operationCount)\n\(recording.trail(to: crash.operationCount))"
            if held == contents(1...3) { counts.former += 1 } else { counts.new += 1 }
            #expect(held == contents(1...3) && crash.operationCount < staged || held == contents(1...4), "\(trail)")
            #expect(found.opening.restoreFailure == nil, "\(trail)")
            try await found.close()
            let again = try SimulatedStore.open(crash.disk)
            #expect(try SimulatedStore.contents(of: again.version) == held, "\(trail)")
            #expect(again.opening.restored == nil && again.opening.restoreFailure == nil, "\(trail)")
            try await again.close()
        }
        #expect(counts.former > 10 && counts.new > 10)
        try await store.close()
    }
}

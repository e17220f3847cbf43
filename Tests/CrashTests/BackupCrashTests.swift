import StorageEngine
import TestSupport
import Testing

@testable import CrashSimulation

/// Power cuts and kills at every operation of backups, and of restores that are staged and carried out.
@Suite struct BackupCrashTests {
    private static let backup = "Backup"

    private func put(_ range: ClosedRange<UInt8>, _ store: Database, _ durability: Durability = .flushed) async throws {
        for key in range {
            try await store.write(durability) { try $0.put([key, 7], forKey: [key], in: SimulatedStore.hot) }
        }
        await store.settle()
    }

    /// What the store holds after so many commits.
    private func contents(after commit: UInt64) -> Promise.Contents {
        SimulatedStore.applying(
            (1...max(1, UInt8(commit))).prefix(Int(commit)).map {
                SimulatedStore.Change(tree: SimulatedStore.hot, key: $0, value: [$0, 7])
            }, to: [:]
        ).0
    }

    private func explorer(_ seed: UInt64) -> CrashExplorer {
        var explorer = CrashExplorer(seed: seed)
        explorer.exhaustiveCount = 3
        explorer.sampleCount = 6
        explorer.killStride = 3
        return explorer
    }

    @Test(arguments: [BackupForm.directory, .file])
    func `a crash at any operation of a backup leaves the one before it, whole, or the new one`(
        form: BackupForm
    ) async throws {
        let library = MemoryFileSystem()
        let place = form == .directory ? Self.backup : Self.backup + "/One"
        let recording = RecordingDisk(
            directory: Self.backup, image: DiskImage(files: form == .directory ? nil : [:]))
        let disks = SplitDisks(recording, beside: library)
        let store = try SimulatedStore.open(disks)
        var promised: [(operations: Int, commit: UInt64)] = []
        func backUp() async throws {
            let report = try await store.backup(to: place, as: form)
            promised.append((recording.operationCount, report.commitNumber))
        }
        try await put(1...4, store)
        try await backUp()
        if form == .directory {
            try await put(5...6, store, .ordered)
            try await backUp()
            try await store.compact()
            try await put(7...9, store)
            try await backUp()
            try await put(10...10, store)
            try await backUp()
        }
        let newest = store.version.commitNumber
        #expect(promised.last?.commit == newest)
        try await store.close()
        var explorer = explorer(1)
        var found = 0
        try await explorer.explore(recording) { crash in
            let disks = SplitDisks(crash.disk, beside: library)
            let least = promised.last { $0.operations <= crash.operationCount }?.commit
            let trail = "behind operation \(crash.operationCount)\n\(recording.trail(to: crash.operationCount))"
            let backup = try? Backup(at: place, fileSystem: disks)
            #expect(backup != nil || least == nil, "a backup that was made is there, \(trail)")
            if let backup {
                found += 1
                try backup.verify()
                #expect(backup.commitNumber >= least ?? 0, "\(trail)")
                for reach in backup.reaches {
                    for commit in reach.commits { _ = try RestorePlan(.commit(commit), from: backup) }
                }
            }
            if form == .directory {
                // It goes on, whatever the crash has left.
                let report = try await Database.backup(at: SimulatedStore.path, to: place, fileSystem: disks)
                #expect(report.commitNumber == newest, "\(trail)")
            } else if backup == nil {
                _ = try await Database.backup(at: SimulatedStore.path, to: place, as: .file, fileSystem: disks)
            }
            let again = try Backup(at: place, fileSystem: disks)
            try again.verify()
            guard crash.operationCount % 8 == 0 else { return }
            let plan = try RestorePlan(.newest, from: again)
            let target = MemoryFileSystem()
            let restoring = SplitDisks(crash.disk, beside: target)
            _ = try await Database.stageRestore(plan, at: SimulatedStore.path, replacing: false, fileSystem: restoring)
            let restored = try SimulatedStore.open(restoring)
            #expect(try SimulatedStore.contents(of: restored.version) == contents(after: newest), "\(trail)")
            try await restored.close()
        }
        #expect(explorer.coverage.distinctStates > 50 && explorer.coverage.kills > 1 && found > 0)
        print("\(form): \(explorer.coverage.distinctStates) states, \(explorer.coverage.kills) kills")
    }

    @Test func `a crash at any operation of a staged restore leaves the old store or the restored one, whole`()
        async throws
    {
        let rest = MemoryFileSystem()
        let recording = RecordingDisk(directory: SimulatedStore.path, image: DiskImage(files: nil))
        let disks = SplitDisks(recording, beside: rest)
        let store = try SimulatedStore.open(disks)
        try await put(1...3, store)
        try await store.compact()
        try await put(4...5, store)
        _ = try await store.backup(to: Self.backup)
        try await put(6...9, store)
        let begun = recording.operationCount
        let plan = try RestorePlan(.commit(4), from: Backup(at: Self.backup, fileSystem: rest))
        _ = try await Database.stageRestore(plan, at: SimulatedStore.path, replacing: true, fileSystem: disks)
        let staged = recording.operationCount
        try await store.close()
        let restored = try SimulatedStore.open(disks)
        #expect(restored.lastRestore?.commitNumber == 4)
        let opened = recording.operationCount
        try await put(20...20, restored)
        let written = recording.operationCount
        try await restored.close()
        var explorer = explorer(2)
        var counts = (old: 0, new: 0)
        let after = SimulatedStore.applying(
            [SimulatedStore.Change(tree: SimulatedStore.hot, key: 20, value: [20, 7])], to: contents(after: 4)
        ).0
        try await explorer.explore(recording) { crash in
            guard crash.operationCount >= begun else { return }
            let trail = "behind operation \(crash.operationCount)\n\(recording.trail(to: crash.operationCount))"
            try Recovery.verify(crash.disk, mayBeMissing: false)
            // What a reader sees is one of the two, too.
            let reading = try SimulatedStore.openToRead(crash.disk)
            #expect(reading.opening.damage == nil, "\(trail)")
            #expect([4, 5, 9].contains(reading.version.commitNumber), "\(trail)")
            for round in 0..<2 {
                let found = try SimulatedStore.open(crash.disk)
                let held = try SimulatedStore.contents(of: found.version)
                if found.lastRestore == nil {
                    if round == 0 { counts.old += 1 }
                    #expect(held == contents(after: 9), "the old store, \(trail)")
                    #expect(crash.operationCount < staged, "what was staged is carried out, \(trail)")
                } else {
                    if round == 0 { counts.new += 1 }
                    #expect(held == contents(after: 4) || held == after, "the restored store, \(trail)")
                    #expect(crash.operationCount < written || held == after, "\(trail)")
                }
                #expect(found.opening.restoreFailure == nil, "\(trail)")
                #expect(found.version.invariantFindings() == [])
                try await found.close()
            }
            let going = try SimulatedStore.open(crash.disk)
            let commit = going.version.commitNumber
            try await put(30...30, going)
            try await going.close()
            #expect(try SimulatedStore.openToRead(crash.disk).version.commitNumber == commit + 1)
            try Recovery.verify(crash.disk, mayBeMissing: false)
        }
        #expect(opened < written && counts.old > 10 && counts.new > 10)
        print("\(counts) of \(explorer.coverage.distinctStates) states, \(explorer.coverage.kills) kills")
    }

    @Test func `a crash at any operation of a live restore leaves the old store or the restored one, whole`()
        async throws
    {
        let rest = MemoryFileSystem()
        let recording = RecordingDisk(directory: SimulatedStore.path, image: DiskImage(files: nil))
        let disks = SplitDisks(recording, beside: rest)
        let store = try SimulatedStore.open(disks)
        try await put(1...3, store)
        try await store.compact()
        try await put(4...5, store)
        _ = try await store.backup(to: Self.backup)
        try await put(6...9, store)
        let begun = recording.operationCount
        try await store.restore(RestorePlan(.commit(4), from: Backup(at: Self.backup, fileSystem: rest)))
        let restored = recording.operationCount
        #expect(store.lastRestore?.commitNumber == 4)
        try await put(20...20, store)
        let written = recording.operationCount
        try await store.close()
        var explorer = explorer(3)
        var counts = (old: 0, new: 0)
        let after = SimulatedStore.applying(
            [SimulatedStore.Change(tree: SimulatedStore.hot, key: 20, value: [20, 7])], to: contents(after: 4)
        ).0
        try await explorer.explore(recording) { crash in
            guard crash.operationCount >= begun else { return }
            let trail = "behind operation \(crash.operationCount)\n\(recording.trail(to: crash.operationCount))"
            try Recovery.verify(crash.disk, mayBeMissing: false)
            let reading = try SimulatedStore.openToRead(crash.disk)
            #expect(reading.opening.damage == nil, "\(trail)")
            #expect([4, 5, 9].contains(reading.version.commitNumber), "\(trail)")
            for round in 0..<2 {
                let found = try SimulatedStore.open(crash.disk)
                let held = try SimulatedStore.contents(of: found.version)
                if found.lastRestore == nil {
                    if round == 0 { counts.old += 1 }
                    #expect(held == contents(after: 9), "the old store, \(trail)")
                    #expect(crash.operationCount < restored, "what was restored stays, \(trail)")
                } else {
                    if round == 0 { counts.new += 1 }
                    #expect(held == contents(after: 4) || held == after, "the restored store, \(trail)")
                    #expect(crash.operationCount < written || held == after, "\(trail)")
                }
                #expect(found.version.invariantFindings() == [])
                try await found.close()
            }
            let going = try SimulatedStore.open(crash.disk)
            let commit = going.version.commitNumber
            let wasRestored = going.lastRestore != nil
            try await put(30...30, going)
            try await going.close()
            let last = try SimulatedStore.open(crash.disk)
            #expect(last.version.commitNumber == commit + 1 && (last.lastRestore != nil) == wasRestored, "\(trail)")
            try await last.close()
            try Recovery.verify(crash.disk, mayBeMissing: false)
        }
        #expect(counts.old > 10 && counts.new > 10)
        print("\(counts) of \(explorer.coverage.distinctStates) states, \(explorer.coverage.kills) kills")
    }

    @Test
    func `where a disk fails a live restore, a crash that follows leaves one of the two stores, and no commit is lost`()
        async throws
    {
        var stopped = (asItWas: 0, unknown: 0)
        for failing in stride(from: 0, through: 6, by: 1) {
            for call in [DiskFault.Call.flushDirectory, .rename, .flush] {
                let rest = MemoryFileSystem()
                let recording = RecordingDisk(directory: SimulatedStore.path, image: DiskImage(files: nil))
                let disks = SplitDisks(recording, beside: rest)
                let store = try SimulatedStore.open(disks)
                try await put(1...5, store)
                _ = try await store.backup(to: Self.backup)
                try await put(6...9, store)
                recording.fail(DiskFault(call, after: failing))
                let plan = try RestorePlan(.commit(4), from: Backup(at: Self.backup, fileSystem: rest))
                let failure: StorageError?
                do {
                    try await store.restore(plan)
                    failure = nil
                } catch { failure = error as? StorageError }
                recording.fail(nil)
                let isUnknown = if case .poisoned? = failure { true } else { false }
                let isOld = failure != nil
                if isUnknown { stopped.unknown += 1 } else if isOld { stopped.asItWas += 1 }
                // What is acknowledged now stays, in the store that the call has left.
                let isWritten: Void? = try? await put(40...40, store)
                #expect((isWritten != nil) == !isUnknown, "\(call) \(failing): \(failure as Any)")
                let change = [SimulatedStore.Change(tree: SimulatedStore.hot, key: 40, value: [40, 7])]
                let (old, new) = (contents(after: 9), contents(after: 4))
                let expected =
                    isUnknown ? [old, new] : [SimulatedStore.applying(change, to: isOld ? old : new).0]
                for seed in 1...6 as ClosedRange<UInt64> {
                    let medium = recording.medium(seed: seed)
                    for survives in [false, true] {
                        let image = medium.image(survivors: medium.pending.map { _ in survives })
                        let disk = RecordingDisk(directory: SimulatedStore.path, image: image)
                        let found = try SimulatedStore.open(disk)
                        let held = try SimulatedStore.contents(of: found.version)
                        #expect(expected.contains(held), "\(call) \(failing), seed \(seed): \(failure as Any)")
                        try await found.close()
                    }
                }
                try? await store.close()
            }
        }
        #expect(stopped.asItWas > 5 && stopped.unknown > 0, "\(stopped)")
        print(stopped)
    }
}

import StorageEngine
import TestSupport
import Testing

@testable import CrashSimulation

/// A snapshot got its name, and the flush behind that failed. The store is opened again, does something, the flush of its names fails once
/// more, and then the power goes.
@Suite struct DoubtfulNameCrashTests {
    private static let loadedKeys: ClosedRange<UInt8> = 10...23

    private func contents(_ keys: [UInt8]) -> Promise.Contents {
        SimulatedStore.applying(keys.map(change), to: [:]).0
    }

    private func change(_ key: UInt8) -> SimulatedStore.Change {
        let value = Array(repeating: key, count: Self.loadedKeys.contains(key) ? 4_000 : 2)
        return SimulatedStore.Change(tree: SimulatedStore.hot, key: key, value: value)
    }

    private func put(_ key: UInt8, _ store: Database) async throws {
        try await store.write(.flushed) { try SimulatedStore.apply([change(key)], in: &$0) }
    }

    /// More than the store holds, so that it becomes a snapshot.
    private func load(_ store: Database) async throws {
        try await store.load { load in
            let collector = load.makeCollector()
            for key in Self.loadedKeys { try SimulatedStore.apply(change(key), in: collector) }
        }
    }

    /// A store of two commits, and a load of which nobody knows whether its name is on the medium.
    private func doubtful() async throws -> RecordingDisk {
        let recording = RecordingDisk(directory: SimulatedStore.path, image: DiskImage(files: nil))
        let store = try SimulatedStore.open(recording)
        for key in 1...2 as ClosedRange<UInt8> { try await put(key, store) }
        // The segment's name is flushed before.
        recording.fail(DiskFault(.flushDirectory, after: 1))
        await #expect(throws: StorageError.self) { try await load(store) }
        recording.fail(nil)
        try await store.close()
        return recording
    }

    private func copy(of disk: MemoryFileSystem, _ directory: String) throws -> MemoryFileSystem {
        let copy = MemoryFileSystem()
        copy.createDirectory(directory)
        for name in try disk.names(inDirectory: directory) where name != "lock" {
            let file = try disk.openFile("\(directory)/\(name)", .reading)
            let bytes = try file.read(byteCount: file.byteCount(), at: 0)
            try copy.openFile("\(directory)/\(name)", .creating).write(bytes, at: 0)
        }
        return copy
    }

    enum Step: CaseIterable {
        case compact, load, write, close, compactAndWrite
    }

    /// A compaction began a segment behind that of the load. Where its own name was not flushed either, both names could go, and what was
    /// left was a store that did not open, or one without commits that were acknowledged since.
    @Test(arguments: Step.allCases, [false, true])
    func `what is written behind a name in doubt survives whatever else fails`(
        _ step: Step, isKilled: Bool
    ) async throws {
        let before = contents([1, 2])
        let loaded = contents([1, 2] + Array(Self.loadedKeys))
        var failureCount = 0
        for passing in 0... {
            let recording = try await doubtful()
            let store = try SimulatedStore.open(recording)
            #expect(store.opening.isNameInDoubt)
            #expect(try SimulatedStore.contents(of: store.version) == loaded)
            recording.fail(DiskFault(.flushDirectory, after: passing))
            switch step {
            case .compact: _ = try? await store.compact()
            case .load: try? await load(store)
            case .write: try? await put(40, store)
            case .close: break
            case .compactAndWrite:
                _ = try? await store.compact()
                try? await put(40, store)
            }
            await store.settle()
            if isKilled { recording.releaseLocks() } else { try? await store.close() }
            let isFailing = recording.failedCallCount > 1
            recording.fail(nil)
            let words = "\(step) after \(passing) flushes"
            let mayHave = [before, loaded, contents([1, 2, 40] + Array(Self.loadedKeys))]
            try await expectContents(mayHave, afterPowerCutOf: recording, seeds: 1...8, words)
            let last = try SimulatedStore.open(recording)
            let held = try SimulatedStore.contents(of: last.version)
            #expect(mayHave.contains(held))
            try await put(41, last)
            var expected = held
            expected.merge(contents([41])) { $1 }
            try await expectContents(
                [expected], afterPowerCutOf: recording, seeds: 1...8, "\(words), then a write")
            try await last.close()
            guard isFailing else { break }
            failureCount += 1
        }
        #expect(failureCount > 0 || (isKilled && step == .close))
    }

    @Test func `a compaction of a store whose name is in doubt succeeds, and ends the doubt`() async throws {
        let recording = try await doubtful()
        let store = try SimulatedStore.open(recording)
        let report = try await store.compact()
        #expect(report.commitNumber == store.version.commitNumber)
        #expect(recording.files.keys.filter { $0.hasPrefix("snapshot-") }.count == 1)
        try await put(40, store)
        try await store.close()
        let again = try SimulatedStore.open(recording)
        #expect(!again.opening.isNameInDoubt)
        try await again.close()
        try Recovery.verify(recording, mayBeMissing: false)
    }

    enum Source: CaseIterable {
        case path, open
        /// Open, on a disk that fails for a while.
        case failing
    }

    /// What it copied was gone from the store after the power cut, and the next backup was refused.
    @Test(arguments: Source.allCases)
    func `a backup holds nothing that a power cut takes from the store`(_ source: Source) async throws {
        for seed in 1...8 as ClosedRange<UInt64> {
            let recording = try await doubtful()
            let backups = MemoryFileSystem()
            let disks = SplitDisks(recording, beside: backups)
            switch source {
            case .path: _ = try await Database.backup(at: SimulatedStore.path, to: "Backup", fileSystem: disks)
            case .open:
                let store = try SimulatedStore.open(disks)
                let report = try await store.backup(to: "Backup")
                #expect(report.commitNumber == store.version.commitNumber)
                try await store.close()
            case .failing:
                let store = try SimulatedStore.open(disks)
                recording.fail(DiskFault(.flushDirectory, times: nil))
                await #expect(throws: StorageError.self) { try await put(40, store) }
                // It would lack what the store shows.
                await #expect(throws: StorageError.self) { try await store.backup(to: "Backup") }
                recording.fail(nil)
                let report = try await store.backup(to: "Backup")
                #expect(report.commitNumber == store.version.commitNumber)
                try await store.close()
            }
            let held = try Backup(at: "Backup", fileSystem: backups).commitNumber
            for image in Set(recording.medium(seed: seed).fewImages) {
                let copy = try copy(of: backups, "Backup")
                let disk = RecordingDisk(directory: SimulatedStore.path, image: image)
                let store = try SimulatedStore.open(SplitDisks(disk, beside: copy))
                #expect(store.version.commitNumber >= held)
                try await put(40, store)
                let report = try await store.backup(to: "Backup")
                #expect(report.commitNumber == store.version.commitNumber)
                try await store.close()
            }
        }
    }

    /// It had refused everything until it was opened again.
    @Test func `a store in doubt that a full disk keeps from moving takes writes when there is room`() async throws {
        let recording = try await doubtful()
        let backups = MemoryFileSystem()
        let store = try SimulatedStore.open(SplitDisks(recording, beside: backups))
        recording.fail(DiskFault(.write, times: nil, .diskFull))
        await #expect(throws: StorageError.self) { try await store.compact() }
        let refused = await #expect(throws: StorageError.self) { try await store.backup(to: "Backup") }
        guard case .backupRefused? = refused else { Issue.record("\(String(describing: refused))"); return }
        await #expect(throws: StorageError.self) { try await put(40, store) }
        #expect(store.status.refusal == nil)
        recording.fail(nil)
        try await put(40, store)
        #expect(store.status.stall == nil)
        try await expectContents(
            [contents([1, 2, 40] + Array(Self.loadedKeys))], afterPowerCutOf: recording, seeds: 1...8, "with room again"
        )
        try await store.close()
    }

    /// Whoever waited for the log to come to rest waited until nobody wrote.
    @Test func `a backup of a store in doubt ends beside writes that never do`() async throws {
        let recording = try await doubtful()
        let store = try SimulatedStore.open(SplitDisks(recording, beside: MemoryFileSystem()))
        let isDone = Flag()
        let writing = (0..<3).map { number in
            Task {
                while !isDone.isSet { try await put(40 + UInt8(number), store) }
            }
        }
        _ = try await store.backup(to: "Backup")
        isDone.set(true)
        for task in writing { try await task.value }
        try await store.close()
    }

    /// A failed flush, and then one behind the name of the new files: the log is as it was, and its last commit is that of the new snapshot.
    @Test func `a backup behind a rescue that nobody knows the end of goes on when the store does`() async throws {
        for seed in 1...8 as ClosedRange<UInt64> {
            let recording = RecordingDisk(directory: SimulatedStore.path, image: DiskImage(files: nil))
            let backups = MemoryFileSystem()
            let store = try SimulatedStore.open(SplitDisks(recording, beside: backups))
            for key in 1...2 as ClosedRange<UInt8> { try await put(key, store) }
            recording.fail(DiskFault(.flush))
            let failure = Task { try await store.compact() }
            _ = await failure.result
            recording.fail(DiskFault(.flushDirectory, after: 1))
            await store.settle()
            recording.fail(nil)
            _ = try? await store.backup(to: "Backup")
            try? await store.close()
            for image in Set(recording.medium(seed: seed).fewImages) {
                let disk = RecordingDisk(directory: SimulatedStore.path, image: image)
                let again = try SimulatedStore.open(SplitDisks(disk, beside: try copy(of: backups, "Backup")))
                try await put(40, again)
                let report = try await again.backup(to: "Backup")
                #expect(report.commitNumber == again.version.commitNumber)
                try await again.close()
            }
        }
    }

    @Test func `compactions that fail leave no row of empty segments`() async throws {
        let recording = RecordingDisk(directory: SimulatedStore.path, image: DiskImage(files: nil))
        let store = try SimulatedStore.open(recording)
        for key in 1...2 as ClosedRange<UInt8> { try await put(key, store) }
        recording.fail(DiskFault(.map, times: nil))
        for _ in 0..<5 {
            await #expect(throws: StorageError.self) { try await store.compact() }
            await store.settle()
        }
        recording.fail(nil)
        #expect(recording.files.keys.filter { $0.hasPrefix("log-") }.count == 2)
        try await store.compact()
        try await put(40, store)
        try await expectContents([contents([1, 2, 40])], afterPowerCutOf: recording, seeds: 1...8, "compacted")
        try await store.close()
        try Recovery.verify(recording, mayBeMissing: false)
    }

    @Test func `who waits for the log waits for the end of a rescue`() async throws {
        let recording = RecordingDisk(directory: SimulatedStore.path, image: DiskImage(files: nil))
        let store = try SimulatedStore.open(recording)
        try await put(1, store)
        recording.fail(DiskFault(.flush))
        await #expect(throws: StorageError.self) { try await store.compact() }
        await store.settle()
        #expect(recording.files.keys.filter { $0.hasPrefix("snapshot-") } == ["snapshot-0000000000000002"])
        let count = recording.operationCount
        try? await Task.sleep(for: .milliseconds(20))
        #expect(recording.operationCount == count)
        try await store.close()
    }
}

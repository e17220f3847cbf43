import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

/// A store that is restored while it is open.
@Suite struct LiveRestoreTests {
    private static let identifier = Array("restored library".utf8)

    /// A store of ten commits, its backup after the fifth.
    private func prepared(
        _ fileSystem: any FileSystem, _ access: Access = .exclusive,
        onPublish: @escaping @Sendable (PublishedCommit) -> Void = { _ in }
    ) async throws -> Database {
        let store = try open(fileSystem, access, onPublish: onPublish)
        for number in 0..<5 { try await store.put(number..<number + 1) }
        _ = try await Database.backup(at: "A", to: "B", fileSystem: fileSystem)
        for number in 5..<10 { try await store.put(number..<number + 1) }
        return store
    }

    private func open(
        _ fileSystem: any FileSystem, _ access: Access = .exclusive,
        onPublish: @escaping @Sendable (PublishedCommit) -> Void = { _ in }
    ) throws -> Database {
        try Database.open(
            at: "A", trees: access == .readOnly ? [] : numberTrees, options: .patient(access), fileSystem: fileSystem,
            onPublish: onPublish)
    }

    private func restore(
        _ store: Database, _ fileSystem: any FileSystem, _ point: RestorePoint = .newest, saving: String? = nil
    ) async throws -> Restoration {
        try await store.restore(
            RestorePlan(point, from: Backup(at: "B", fileSystem: fileSystem)), saving: saving,
            identifier: Self.identifier)
    }

    private func expectOneStore(_ fileSystem: any FileSystem) throws {
        #expect(try fileSystem.files("snapshot-", in: "A").count == 1)
        #expect(try fileSystem.files("log-", in: "A").count == 1)
        #expect(try fileSystem.files("staged-", in: "A").isEmpty)
        #expect(try fileSystem.kind(of: "A/restore") == .absent)
        #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
    }

    @Test(arguments: [Access.exclusive, .shared])
    func `the restored store takes the place of the open one, and goes on`(access: Access) async throws {
        let fileSystem = MemoryFileSystem()
        let seen = Mutex<[(commit: UInt64, isOpening: Bool)]>([])
        let store = try await prepared(fileSystem, access) { commit in
            seen.withLock { $0.append((commit.commitNumber, commit.isOpening)) }
        }
        let (before, contents) = (store.version, try store.version.strings())
        let restored = try await restore(store, fileSystem, .commit(3))
        #expect(restored.commitNumber == 3 && restored.backup == "B")
        #expect(store.lastRestore == restored && store.opening.restored == restored)
        #expect(store.version.commitNumber == 3 && store.storeIdentifier == Self.identifier)
        #expect(try store.version.count(in: numbers) == 3)
        // Who holds the old one keeps it.
        #expect(try before.strings() == contents && before.commitNumber == 10)
        #expect(seen.withLock { $0.last }.map { $0 == (3, true) } == true)
        #expect(store.version.ordinal.value > before.ordinal.value)
        try expectOneStore(fileSystem)
        try await store.put(50..<60)
        #expect(store.version.commitNumber == 4 && store.version.memoryFindings() == [])
        #expect(seen.withLock { $0.last }.map { $0 == (4, false) } == true)
        try await store.load { load in
            let collector = load.makeCollector()
            for number in 100..<200 as Range<UInt64> { try collector.put([1], forKey: .key(number), in: numbers) }
        }
        try await store.compact()
        try await store.put(60..<61)
        try await store.close()
        let again = try open(fileSystem)
        #expect(again.version.commitNumber == 6 && again.lastRestore == restored)
        #expect(try again.version.count(in: numbers) == 114)
        try await again.close()
    }

    @Test func `a restore has one time, whoever is asked for it`() async throws {
        let fileSystem = SettableFileSystem(step: 1)
        let store = try await prepared(fileSystem)
        let restored = try await restore(store, fileSystem)
        #expect(restored.time > 0 && store.lastRestore == restored && store.opening.restored == restored)
        try await store.close()
        let again = try open(fileSystem)
        #expect(again.lastRestore == restored)
        try await again.close()
    }

    @Test func `a store is restored again and again`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try await prepared(fileSystem)
        for commit in [2, 4, 1, 5] as [UInt64] {
            let plan = try RestorePlan(.commit(commit), from: Backup(at: "B", fileSystem: fileSystem))
            try await store.restore(plan)
            #expect(store.version.commitNumber == commit && store.lastRestore?.commitNumber == commit)
            try expectOneStore(fileSystem)
            try await store.put(70..<80)
        }
        try await store.close()
    }

    @Test func `what is saved first can be restored in its turn`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try await prepared(fileSystem)
        let contents = try store.version.strings()
        _ = try await restore(store, fileSystem, .commit(2), saving: "B")
        try await store.put(50..<60)
        let back = try await store.restore(RestorePlan(.newest, from: Backup(at: "B", fileSystem: fileSystem)))
        #expect(try back.commitNumber == 10 && store.version.strings() == contents)
        try await store.close()
    }

    @Test func `a commit that only a backup has is restored from it, though the store is saved to that first`()
        async throws
    {
        let fileSystem = MemoryFileSystem()
        let before = try open(fileSystem)
        for number in 0..<5 { try await before.put(number..<number + 1) }
        let image = try fileSystem.image(of: "A")
        try await before.put(5..<6, .ordered)
        _ = try await before.backup(to: "B")
        try await before.close()
        // A power cut takes back what nothing had vouched for, and the next backup gives it up.
        for (name, bytes) in image { try fileSystem.replace("A/" + name, with: bytes) }
        let store = try open(fileSystem)
        #expect(try store.version.count(in: numbers) == 5)
        let restored = try await restore(store, fileSystem, saving: "B")
        #expect(try restored.commitNumber == 6 && store.version.count(in: numbers) == 6)
        #expect(try await fileSystem.restored().contents.count == 5, "the store as it was")
        try await store.close()
    }

    @Test func `what is acknowledged is in the backup that is made first, or in the restored store`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try await prepared(fileSystem)
        let isOver = Flag()
        let writing = Task {
            var number = 100
            while !isOver.isSet {
                try await store.put(number..<number + 1, number % 3 == 0 ? .memory : .flushed)
                number += 1
            }
            return 100..<number
        }
        _ = try await restore(store, fileSystem, saving: "B")
        try await store.put(90..<91)
        isOver.set(true)
        let acknowledged = try await writing.value
        let saved = try await fileSystem.restored().contents
        let restored = try store.version.strings()
        for number in acknowledged {
            let key = "\([UInt8].key(UInt64(number)))"
            #expect(saved[key] != nil || restored[key] != nil, "\(number)")
            #expect(saved[key] == nil || restored[key] == nil, "\(number) is of one of the two")
        }
        try await store.close()
        #expect(try open(fileSystem, .readOnly).version.strings() == restored)
    }

    @Test func `a restore that is refused has changed nothing`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try await prepared(fileSystem)
        let image = try fileSystem.image(of: "A").filter { $0.key != "compacting" }
        #expect(throws: StorageError.self) {
            _ = try RestorePlan(.commit(9), from: Backup(at: "B", fileSystem: fileSystem))
        }
        // A backup of trees that are declared otherwise here.
        let other = try Database.open(
            at: "O", trees: [TreeDeclaration(numbers, "numbers", facetCount: 1)],
            options: Options(compaction: .manual), fileSystem: fileSystem)
        try await other.write { try $0.put([1], forKey: UInt64(1), in: numbers) }
        _ = try await other.backup(to: "OB")
        try await other.close()
        let plan = try RestorePlan(.newest, from: Backup(at: "OB", fileSystem: fileSystem))
        await #expect(throws: StorageError.self) { try await store.restore(plan) }
        // A backup of another store in the way of the one that is to be made first.
        await #expect(throws: StorageError.self) {
            _ = try await restore(store, fileSystem, saving: "OB")
        }
        #expect(try fileSystem.image(of: "A").filter { $0.key != "compacting" } == image)
        try await store.put(10..<11)
        #expect(store.version.commitNumber == 11 && store.lastRestore == nil)
        try await store.close()
        await #expect(throws: StorageError.closed(path: "A")) { try await restore(store, fileSystem) }
    }

    @Test func `one that is cancelled, or whose store closes, leaves the store`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try await prepared(fileSystem)
        let plan = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: fileSystem))
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.restore(plan)
        }
        await #expect(throws: StorageError.cancelled) { try await cancelled.value }
        #expect(store.version.commitNumber == 10)
        let gate = Gate()
        let restoring = Task { try await store.restore(plan) { _ in gate.pass() } }
        await gate.reached()
        let writer = try #require(store.writer)
        let closing = Task { try await store.close() }
        while await !writer.queue.isClosing { await pause() }
        gate.open()
        await #expect(throws: StorageError.self) { try await restoring.value }
        try await closing.value
        #expect(try fileSystem.names(inDirectory: "A").allSatisfy { !$0.hasSuffix(".tmp") })
        let again = try open(fileSystem)
        #expect(again.version.commitNumber == 10 && again.lastRestore == nil)
        try await again.close()
    }

    @Test func `a restore that waits for writes to be saved ends when the store closes`() async throws {
        let disk = FaultyFileSystem()
        let store = try await prepared(disk)
        let gate = FlushGate(disk)
        for number in 20..<23 { try await store.put(number..<number + 1) }
        gate.shut()
        let writing = Task { try await store.put(30..<31) }
        await gate.reached()
        let plan = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: disk))
        let restoring = Task { try await store.restore(plan, saving: "Saved") }
        let writer = try #require(store.writer)
        while await writer.drainWaiters.isEmpty { await pause() }
        let closing = Task { try await store.close() }
        while await !writer.queue.isClosing { await pause() }
        gate.open()
        try await writing.value
        await #expect(throws: StorageError.self) { try await restoring.value }
        try await closing.value
        let again = try open(disk)
        #expect(try again.version.count(in: numbers) == 14 && again.lastRestore == nil)
        try await again.close()
    }

    @Test(arguments: [false, true])
    func `a restore that saves the store first is refused where the disk does not take what is to be saved`(
        isMeanwhile: Bool
    ) async throws {
        let disk = FaultyFileSystem()
        let store = try await prepared(disk)
        let plan = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: disk))
        let gate = Gate()
        func fillDisk() async throws {
            disk.fail { call, path in
                path.hasPrefix("A/log-") && [.reserve, .write].contains(call) ? .diskFull(path: path) : nil
            }
            try await store.put(20..<21, .memory)
        }
        if !isMeanwhile { try await fillDisk() }
        let restoring = Task {
            try await store.restore(plan, saving: "S") { _ in if isMeanwhile { gate.pass() } }
        }
        if isMeanwhile {
            await gate.reached()
            try await fillDisk()
            gate.open()
        }
        let refused = await #expect(throws: StorageError.self) { try await restoring.value }
        #expect(refused?.refusal?.contains("could not be written") == true)
        #expect(try store.version.count(in: numbers) == 11 && store.lastRestore == nil)
        disk.fail(nil)
        // A write that was begun while the disk was full fails with all that was queued behind it.
        await store.settle()
        try await store.put(21..<22)
        try await store.close()
        let again = try open(disk)
        #expect(try again.version.count(in: numbers) == 12)
        try await again.close()
    }

    @Test func `a compaction of a shared store waits for a restore that has the turn, and is then of the restored one`()
        async throws
    {
        let fileSystem = MemoryFileSystem()
        let store = try await prepared(fileSystem, .shared)
        let plan = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: fileSystem))
        let gate = Gate()
        let restoring = Task { try await store.restore(plan) { _ in gate.pass() } }
        await gate.reached()
        let compactions = (0..<2).map { _ in Task { try await store.compact() } }
        let cancelled = Task { try await store.compact() }
        for _ in 0..<20 { await pause() }
        cancelled.cancel()
        await #expect(throws: StorageError.cancelled) { try await cancelled.value }
        gate.open()
        _ = try await restoring.value
        for compaction in compactions { #expect(try await compaction.value.commitNumber == 5) }
        #expect(try store.version.count(in: numbers) == 5)
        try await store.close()
        try expectOneStore(fileSystem)
    }

    @Test func `an app that shares a damaged store, and can only read it, moves to the one that another restores`()
        async throws
    {
        let fileSystem = MemoryFileSystem()
        try await prepared(fileSystem, .shared).close()
        let log = try #require(try fileSystem.files("log-", in: "A").last)
        var bytes = try fileSystem.bytes(of: log)
        for place in 100..<400 { bytes[place] = 0xFF }
        try fileSystem.replace(log, with: bytes)
        let app = Database.opening(
            at: "A", trees: numberTrees, options: .patient(), fileSystem: fileSystem, waitingFor: .zero)
        try await app.ready()
        let damage = await app.damage()
        #expect(damage != nil && app.version.commitNumber < 5)
        // As the command does.
        let plan = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: fileSystem))
        _ = try await Database.stageRestore(plan, at: "A", replacing: true, fileSystem: fileSystem)
        let command = try open(fileSystem, .shared)
        #expect(command.lastRestore?.commitNumber == 5)
        await app.follow()
        await app.ended()
        #expect(app.isWritable && app.storeIdentifier == command.storeIdentifier)
        try await app.put(50..<60)
        #expect(try app.version.count(in: numbers) == 15)
        try await command.close()
        try await app.close()
    }

    @Test func `a restore that cannot be had leaves the compaction of an exclusive store to its end`() async throws {
        let disk = FaultyFileSystem()
        let store = try await prepared(disk)
        let plan = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: disk))
        for name in try disk.names(inDirectory: "B") { try? disk.remove("B/\(name)") }
        let gate = disk.gate(.write, "snapshot-")
        let compaction = Task { try await store.compact() }
        await gate.reached()
        await #expect(throws: StorageError.self) { try await store.restore(plan) }
        gate.open()
        #expect(try await compaction.value.commitNumber == 10)
        try await store.close()
    }

    @Test func `loads, compactions and restores that come at once all end, and the store is whole`() async throws {
        let fileSystem = MemoryFileSystem()
        for access in [Access.exclusive, .shared] {
            let store = try await prepared(fileSystem, access)
            let plan = try RestorePlan(.commit(4), from: Backup(at: "B", fileSystem: fileSystem))
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask { _ = try? await store.compact() }
                    group.addTask { _ = try? await store.restore(plan) }
                    group.addTask { try? await store.put(number * 10 + 100..<number * 10 + 110) }
                    group.addTask {
                        _ = try? await store.load { load in
                            let collector = load.makeCollector()
                            for key in 0..<300 as Range<UInt64> {
                                try collector.put([3], forKey: .key(1000 + key), in: numbers)
                            }
                        }
                    }
                }
            }
            #expect(store.lastRestore?.commitNumber == 4 && store.version.commitNumber >= 4)
            #expect(store.version.invariantFindings() == [] && store.version.memoryFindings() == [])
            let contents = try store.version.strings()
            try await store.close()
            #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound)
            let again = try open(fileSystem)
            #expect(try again.version.strings() == contents)
            try await again.close()
            for name in try fileSystem.names(inDirectory: "A") { fileSystem.remove("A/" + name) }
            for name in try fileSystem.names(inDirectory: "B") { fileSystem.remove("B/" + name) }
        }
    }

    @Test(arguments: [false, true])
    func
        `whichever call to the disk fails, the store that stays open is the old one or the new, and so is the next opening`(
            forEver: Bool
        ) async throws
    {
        var (oldCount, newCount, unknownCount) = (0, 0, 0)
        for failing in 1... {
            let fileSystem = FaultyFileSystem()
            let store = try await prepared(fileSystem)
            let made = CallCounter()
            @Sendable func isOver(_ call: Int) -> Bool { forEver ? call >= failing : call == failing }
            fileSystem.fail { _, path in
                guard path.hasPrefix("A") else { return nil }
                return isOver(made.count()) ? .inputOutput(operation: "call", path: path, code: 5) : nil
            }
            var failure: (any Error)?
            do { _ = try await restore(store, fileSystem) } catch { failure = error }
            fileSystem.fail(nil)
            let count = try store.version.count(in: numbers)
            if failure == nil {
                newCount += 1
                #expect(count == 5 && store.lastRestore != nil, "call \(failing)")
            } else {
                #expect(count == 10 && store.lastRestore == nil, "call \(failing)")
            }
            let isUnknown = if case StorageError.poisoned? = failure { true } else { false }
            if isUnknown {
                unknownCount += 1
                await #expect(throws: StorageError.self) { try await store.put(90..<91) }
            } else {
                if failure != nil { oldCount += 1 }
                try await store.put(90..<91)
                #expect(try store.version.count(in: numbers) == count + 1, "call \(failing)")
            }
            try? await store.close()
            #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound, "call \(failing)")
            let again = try open(fileSystem)
            let isRestored = again.lastRestore != nil
            if !isUnknown { #expect(isRestored == (failure == nil), "call \(failing): \(failure as Any)") }
            #expect(
                try again.version.count(in: numbers) == (isRestored ? 5 : 10) + (isUnknown ? 0 : 1), "call \(failing)")
            try await again.put(91..<92)
            try await again.close()
            #expect(try Verifier.verify(at: "A", fileSystem: fileSystem).isSound, "call \(failing)")
            if made.value < failing {
                #expect(failure == nil && failing > 20)
                break
            }
        }
        #expect(oldCount > 10 && newCount > 1 && unknownCount > 0)
        print("\(oldCount) old, \(newCount) new, \(unknownCount) unknown")
    }
}

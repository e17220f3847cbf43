import Synchronization
import TestSupport
import Testing

@testable import CrashSimulation
@testable import StorageEngine

/// The trees of a lone commit are changed while it is flushed, and nobody can tell.
struct SettlingBesideTests {
    private static let others = TreeNumber(3)
    private static let refusedKeys = UInt64(1000)..<1020
    /// How a store with a damaged page has gone on.
    private struct Course {
        var refusal: StorageError?
        /// Of `others`.
        var kept: Set<UInt64> = []
        var lastCommit: UInt64 = 0
    }

    private static func open(
        _ files: any FileSystem, _ help: HelpfulWork.Help, isSlow: Bool = false
    ) throws -> Database {
        var options = Options(compaction: .manual)
        options.work = HelpfulWork(help, isSlow: isSlow)
        return try Database.open(
            at: "A", trees: [TreeDeclaration(others, "others")], options: options, fileSystem: files)
    }

    /// A few commits, one of which changes trees in many places: where one of these cannot be read, it is refused.
    private static func course(_ database: Database, _ refused: () -> Void = {}) async -> Course {
        var course = Course()
        for key in UInt64(1)...3 where (try? await write([key], to: database)) != nil { course.kept.insert(key) }
        do {
            try await database.write { transaction in
                transaction.memo = "of what is refused"
                for number in stride(from: UInt64(0), to: 3000, by: 50) {
                    try transaction.putLater([1], forKey: .key(number), in: TreeNumber(1))
                }
                for key in refusedKeys { try transaction.putLater([1], forKey: .key(key), in: others) }
            }
            course.kept.formUnion(refusedKeys)
        } catch {
            course.refusal = error as? StorageError
            refused()
            try? await database.write { transaction in #expect(transaction.earlierMemo == nil) }
        }
        // As many as are worth a thread, and one that is not.
        for keys in [Array(UInt64(2000)..<2030), [4]] where (try? await write(keys, to: database)) != nil {
            course.kept.formUnion(keys)
        }
        // A few in each of two trees, whose pages are asked for together.
        let few = UInt64(3000)..<3006
        do {
            try await database.write { transaction in
                for key in few {
                    try transaction.putLater([1], forKey: .key(key), in: TreeNumber(1))
                    try transaction.putLater([2], forKey: .key(key), in: others)
                }
            }
            course.kept.formUnion(few)
        } catch {}
        course.lastCommit = database.version.commitNumber
        return course
    }

    private static func write(_ keys: [UInt64], to database: Database) async throws {
        try await database.write { transaction in
            for key in keys { try transaction.putLater([2], forKey: .key(key), in: others) }
        }
    }

    private static func others(in database: Database) throws -> Set<UInt64> {
        var keys: Set<UInt64> = []
        try database.version.scan(others) { key, _ in
            keys.insert(key.trailingInteger)
            return true
        }
        return keys
    }

    @Test(arguments: HelpfulWork.Help.allCases, [false, true])
    func `a commit that meets a page that cannot be read is not in the log`(
        help: HelpfulWork.Help, isSlow: Bool
    ) async throws {
        var refusedCount = 0
        try await DamageTests.withEachPageDamaged { files, page in
            // What is slow has nothing cached, so that commits ask for their pages first.
            let cold = FaultyFileSystem(files, isCached: !isSlow)
            guard let database = try? Self.open(cold, help, isSlow: isSlow) else { return }
            let course = await Self.course(database)
            if let refusal = course.refusal {
                refusedCount += 1
                #expect(refusal.damage != nil, "page \(page)")
            }
            #expect(course.kept.isSuperset(of: [1, 2, 3, 4, 2000, 2029]), "page \(page)")
            #expect(try Self.others(in: database) == course.kept, "page \(page)")
            #expect(database.version.memoryFindings() == [])
            #expect(database.version.damagedTrees.isEmpty)
            try await database.close()
            let reopened = try Self.open(files, help, isSlow: isSlow)
            #expect(reopened.version.commitNumber == course.lastCommit, "page \(page)")
            #expect(try Self.others(in: reopened) == course.kept, "page \(page)")
            #expect(reopened.opening.damagedTrees.isEmpty, "page \(page)")
            try await reopened.close()
        }
        #expect(refusedCount > 3)
    }

    /// A store with a page that the commit meets.
    private static func damagedFiles() async throws -> MemoryFileSystem {
        var found: MemoryFileSystem?
        try await DamageTests.withEachPageDamaged { files, _ in
            guard found == nil, let copy = try? files.copy(), let database = try? open(copy, .tooLate) else { return }
            if await course(database).refusal != nil { found = files }
            try? await database.close()
        }
        return try #require(found)
    }

    @Test(arguments: HelpfulWork.Help.allCases, [false, true])
    func `what the log gives back does not come back with a power cut`(
        help: HelpfulWork.Help, isSlow: Bool
    ) async throws {
        let files = try await Self.damagedFiles()
        var image: [String: [UInt8]] = [:]
        for name in try files.names(inDirectory: "A") { image[name] = try files.bytes(of: "A/" + name) }
        let disk = RecordingDisk(directory: "A", files: image)
        let database = try Self.open(disk, help, isSlow: isSlow)
        let refused = Mutex<Int?>(nil)
        let course = await Self.course(database) { refused.withLock { $0 = disk.operationCount } }
        let refusal = try #require(refused.withLock { $0 })
        try await database.close()
        var explorer = CrashExplorer(seed: 1)
        explorer.exhaustiveCount = 4
        explorer.sampleCount = 8
        var (before, behind) = (0, 0)
        try await explorer.explore(disk) { crash in
            let trail = "behind operation \(crash.operationCount)\n\(disk.trail(to: crash.operationCount))"
            guard let reopened = try? Self.open(crash.disk, .tooLate) else {
                Issue.record("the store cannot be opened \(trail)")
                return
            }
            let kept = try Self.others(in: reopened)
            if crash.operationCount >= refusal {
                behind += 1
                #expect(kept.isDisjoint(with: Self.refusedKeys), "\(trail)")
                #expect(kept.isSuperset(of: [1, 2, 3]), "\(trail)")
                #expect(reopened.opening.damagedTrees.isEmpty, "\(trail)")
            } else {
                before += 1
                #expect(kept.isSubset(of: course.kept.union(Self.refusedKeys)), "\(trail)")
            }
            // Whatever is there, it goes on.
            try await Self.write([77], to: reopened)
            try await reopened.close()
        }
        #expect(before > 10 && behind > 10)
    }

    @Test(arguments: HelpfulWork.Help.allCases, [false, true])
    func `whichever call to the disk fails around a refusal, what was acknowledged is there`(
        help: HelpfulWork.Help, isSlow: Bool
    ) async throws {
        let damaged = try await Self.damagedFiles()
        let errors: [StorageError] = [
            .diskFull(path: "A"), .inputOutput(operation: "call", path: "A", code: 5),
        ]
        for error in errors {
            var isOver = false
            var failing = 0
            while !isOver {
                failing += 1
                let memory = try damaged.copy()
                let fileSystem = FaultyFileSystem(memory, isCached: !isSlow)
                let made = Mutex(0)
                guard let database = try? Self.open(fileSystem, help, isSlow: isSlow) else { continue }
                fileSystem.fail { [failing] _, _ in
                    made.withLock { count in
                        count += 1
                        return count == failing ? error : nil
                    }
                }
                let course = await Self.course(database)
                isOver = made.withLock { $0 } < failing
                fileSystem.fail(nil)
                #expect(course.refusal != nil, "call \(failing)")
                #expect(try Self.others(in: database) == course.kept, "call \(failing)")
                #expect(database.version.memoryFindings() == [])
                try? await database.close()
                let reopened = try Self.open(memory, .tooLate)
                #expect(try Self.others(in: reopened).isSuperset(of: course.kept), "call \(failing)")
                try? await reopened.close()
            }
            #expect(failing > 10)
        }
    }

    @Test(arguments: HelpfulWork.Help.allCases)
    func `where the disk takes nothing any more, no commit comes back that its caller was told is refused`(
        help: HelpfulWork.Help
    ) async throws {
        let damaged = try await Self.damagedFiles()
        var isOver = false
        var (failing, doubtCount) = (0, 0)
        while !isOver {
            failing += 1
            let memory = try damaged.copy()
            let fileSystem = FaultyFileSystem(memory)
            let made = Mutex(0)
            guard let database = try? Self.open(fileSystem, help) else { continue }
            fileSystem.fail { [failing] _, _ in
                made.withLock { count in
                    count += 1
                    return count >= failing ? .inputOutput(operation: "call", path: "A", code: 5) : nil
                }
            }
            let course = await Self.course(database)
            isOver = made.withLock { $0 } < failing
            try? await database.close()
            fileSystem.fail(nil)
            let reopened = try Self.open(memory, .tooLate)
            let kept = try Self.others(in: reopened)
            #expect(kept.isSuperset(of: course.kept), "call \(failing)")
            if !kept.isDisjoint(with: Self.refusedKeys) {
                guard case .poisoned = course.refusal else {
                    Issue.record("call \(failing): \(String(describing: course.refusal))")
                    continue
                }
                doubtCount += 1
            }
            try? await reopened.close()
        }
        #expect(failing > 10 && doubtCount > 0)
    }
}

import CrashSimulation
import Testing

@testable import StorageEngine

/// One process of `SharedModelTests`, step by step: what `Writer` does, on the engine's own log, lock, head and opening, without its actors.
final class SharedParty {
    let role: Role
    let disk: ProcessDisk
    private(set) var nextStep = 0
    private(set) var isDead = false
    private(set) var holdsLock = false
    /// Another has put a restored store in the place of the one that this has open.
    private(set) var isDisplaced = false
    private let medium: RecordingDisk
    private let opening: StoreOpening
    /// What it writes.
    private let key: UInt64
    private let head: LogHeadFile
    /// `nil` before it has opened the store.
    private var open: (state: WriteState, log: LogWriter, lock: WriteLock)?
    private var version: Version?
    private var boundary: LogWriter.Boundary?
    private var built: SnapshotIdentity?
    private var successor: LogWriter.Successor?
    private var isOvertaken = false
    /// Held by who compacts, all the time.
    private var compacting: (any FileLock)?

    enum Step {
        case take, catchUp, write, flush, say, letGo
        // Of compactions.
        case rotate, build, name, nameIsFlushed, moveOver, tidy
        // Of loads.
        case buildLoad, makeSuccessor, adoptLoad
        // Of rescues.
        case failToFlush, buildRescue, beginRescued, adoptRescue
        /// Opens the store, and carries out the restore that is staged there.
        case openRestored
    }

    enum Role: String {
        case writer, compactor, loader, rescuer, restorer

        var steps: [Step] {
            switch self {
            case .writer: [.take, .catchUp, .write, .flush, .say, .letGo]
            case .compactor:
                [
                    .take, .catchUp, .rotate, .letGo, .build, .take, .catchUp, .name, .nameIsFlushed, .moveOver, .tidy,
                    .say, .letGo,
                ]
            // Both hold the lock all through.
            case .loader:
                [
                    .take, .catchUp, .buildLoad, .makeSuccessor, .name, .nameIsFlushed, .adoptLoad, .tidy, .say, .letGo,
                ]
            case .rescuer:
                [
                    .take, .catchUp, .write, .failToFlush, .buildRescue, .beginRescued, .name, .nameIsFlushed,
                    .adoptRescue, .tidy, .say, .letGo,
                ]
            case .restorer: [.openRestored, .write, .flush, .say, .letGo]
            }
        }

        /// The step with which what it writes is acknowledged.
        fileprivate var acknowledging: Step? {
            switch self {
            case .writer, .restorer: .flush
            case .loader, .rescuer: .nameIsFlushed
            case .compactor: nil
            }
        }
    }

    /// - Parameter key: what it writes.
    init(_ role: Role, key: UInt64, on medium: RecordingDisk) throws {
        (self.role, self.key, self.medium) = (role, key, medium)
        disk = ProcessDisk(medium)
        let files = StoreFiles(directory: "A").ofSharer
        opening = StoreOpening(
            files: files, fileSystem: disk, options: .patient(),
            declared: numberTrees)
        head = LogHeadFile(files, disk, writes: true)
        guard role != .restorer else { return }
        try openStore()
        say()
        open?.lock.letGo()
    }

    private func openStore() throws {
        let opened = try opening.open()
        open = (opened.state, try #require(opened.log), try #require(opened.lock))
    }

    private func say() {
        guard let open else { return }
        head.write(open.log.head(generation: open.state.generation.number))
    }

    /// The store that it has open; `nil` before it has one.
    var store: StoreIdentifier? { open?.state.generation.file.superblock.store }

    var isDone: Bool { isDead || isDisplaced || nextStep == role.steps.count }

    var wantsLock: Bool {
        guard !isDone else { return false }
        return role.steps[nextStep] == .take || role.steps[nextStep] == .openRestored
    }

    func die() {
        isDead = true
        holdsLock = false
        disk.kill()
    }

    /// - Returns: what it has acknowledged with the step.
    func run() throws -> UInt64? {
        let step = role.steps[nextStep]
        nextStep += 1
        do {
            try run(step)
        } catch  where disk.isDead {
            die()
            return nil
        } catch StorageError.displaced {
            open?.lock.letGo()
            compacting?.unlock()
            (isDisplaced, holdsLock) = (true, false)
            return nil
        }
        return step == role.acknowledging ? key : nil
    }

    private func run(_ step: Step) throws {
        if step == .openRestored {
            try openStore()
            holdsLock = true
            return
        }
        let (state, log, lock) = try #require(open)
        let (files, fileSystem) = (opening.files, opening.fileSystem)
        switch step {
        case .openRestored: break
        case .take:
            #expect(try lock.take())
            holdsLock = true
        case .letGo:
            lock.letGo()
            holdsLock = false
        case .catchUp: try catchUp()
        case .write:
            var operations = OperationEncoder()
            operations.put(tree: numbers, key: [UInt8].key(key).span.bytes, facets: 0, value: [7].span.bytes)
            _ = try state.apply(operations.bytes)
            do throws(LogFailure) {
                try log.append([LogWriter.Commit(number: state.commitNumber, payload: operations.bytes)])
            } catch {
                // Who loaded or rescued the store died before its name was flushed: everything goes to new files.
                guard case .unknownState = error, !disk.isDead else { throw error }
                try rescue()
            }
        case .flush: try log.flush()
        case .say: say()
        case .rotate:
            compacting = try fileSystem.lock(files.compacting)
            // No segment follows that of such a one.
            if log.doubt != nil { try rescue() }
            version = open?.state.version()
            boundary = try log.rotate()
        case .build:
            let boundary = try #require(boundary)
            try build(
                try #require(version), logSequence: boundary.sequence, logChecksum: boundary.checksum)
        case .name:
            let generation = try #require(built).generation
            isOvertaken = role == .compactor && state.generation !== version?.generation
            if isOvertaken {
                try fileSystem.remove(files.temporarySnapshot(generation))
            } else {
                if role == .compactor { try removeAbandonedSegment() }
                try files.name(generation, hasCompanion: false, fileSystem)
            }
        case .nameIsFlushed: try fileSystem.flushDirectory("A")
        case .moveOver: if !isOvertaken { try openAgain() }
        case .tidy:
            files.removeSuperseded(by: try #require(open).state.generation.file.superblock, fileSystem)
            compacting?.unlock()
        case .buildLoad:
            let load = Load(version: state.version(), files: files, fileSystem, memoryByteCount: 1 << 20)
            try load.makeCollector().put([7], forKey: .key(key), in: numbers)
            try load.collectors.finish()
            try build(load.version, additions: load.collectors.runs, logSequence: log.sequence + 1)
        case .makeSuccessor:
            let built = try #require(built)
            successor = try log.makeSuccessor(
                behind: state.commitNumber + 1, generation: built.generation, built.checksum)
        case .adoptLoad:
            log.move(to: try #require(successor))
            try adoptBuilt()
        case .failToFlush:
            medium.fail(DiskFault(.flush))
            defer { medium.fail(nil) }
            #expect(throws: LogFailure.self) { try log.flush() }
        case .buildRescue: try build(state.version(), logSequence: log.sequence + 1)
        case .beginRescued:
            let built = try #require(built)
            successor = try log.makeSuccessor(
                behind: state.commitNumber, generation: built.generation, built.checksum)
        case .adoptRescue:
            log.move(to: try #require(successor))
            try adoptBuilt()
        }
    }

    private func catchUp() throws {
        let (state, log, lock) = try #require(open)
        // As `Writer` goes on at once.
        if lock.isAsLeft {
            let isNews = try log.hasNews()
            #expect(!isNews && (head.read()?.generation ?? 0) <= state.generation.number)
            return
        }
        // In the engine it moves to the restored store; here it ends, as if it had been told.
        let store = state.generation.file.superblock.store
        if try RestoreMark.isCarriedOut(over: store, opening.files, opening.fileSystem) {
            throw StorageError.displaced(path: "A")
        }
        // Who made the next generations may have died before all that they replace was removed.
        if try opening.fileSystem.kind(of: opening.files.snapshot(state.generation.number)) == .absent {
            return try openAgain()
        }
        let news = try log.catchUp()
        for commit in news.commits { try state.adopt(commit, nil) }
        if news.isElsewhere || head.read().map({ $0.generation > state.generation.number }) == true {
            try openAgain()
        }
    }

    private func rescue() throws {
        let (state, log, lock) = try #require(open)
        let rescue = Rescue(
            version: state.version(), files: opening.files, fileSystem: opening.fileSystem, lock: lock)
        open?.state = WriteState(generation: state.generation.successor(file: try rescue.run(log)))
    }

    private func openAgain() throws {
        let (state, log, lock) = try #require(open)
        let opened = try opening.openAgain(lock)
        guard opened.state.generation.file.superblock.store == state.generation.file.superblock.store else {
            throw StorageError.displaced(path: "A")
        }
        log.takeOver(try #require(opened.log))
        open?.state = opened.state
    }

    private func build(
        _ version: Version, additions: [TreeNumber: [SortedRun]] = [:], logSequence: UInt64, logChecksum: UInt32 = 0
    ) throws {
        let (files, fileSystem) = (opening.files, opening.fileSystem)
        let generation = try files.nextGeneration(after: version.generation.number, fileSystem)
        try SnapshotBuild(
            version: version, additions: additions, generation: generation, logSequence: logSequence,
            logChecksum: logChecksum, files: files, fileSystem: fileSystem
        ) { _ in }.write()
        let path = files.temporarySnapshot(generation)
        built = try SnapshotFile(opening: path, generation: generation, fileSystem).identity
    }

    /// That of one who died as it loaded or rescued the store.
    private func removeAbandonedSegment() throws {
        let path = opening.files.log(try #require(open).log.sequence + 1)
        guard try opening.fileSystem.kind(of: path) != .absent else { return }
        try opening.fileSystem.remove(path)
        try opening.fileSystem.flushDirectory("A")
    }

    private func adoptBuilt() throws {
        let (state, _, _) = try #require(open)
        let generation = try #require(built).generation
        let file = try SnapshotFile(
            opening: opening.files.snapshot(generation), generation: generation, opening.fileSystem)
        open?.state = WriteState(generation: state.generation.successor(file: file))
    }
}

import CrashSimulation
import Scheduling
import StorageEngine

/// A store, the disk under it, and beside both the model: what the calls so far allow the store to hold and to answer.
///
/// Every call runs until nothing is left to do, also in the background, on one thread and in a fixed order.
final class ModelledStore {
    typealias Contents = Promise.Contents

    let disk: RecordingDisk
    let scheduler = JobScheduler()
    private(set) var database: Database?
    /// What the store shows.
    private(set) var contents: Contents = [:]
    private(set) var commit: UInt64 = 0
    /// Transactions refused since the store was opened, so that no two try to write the same.
    private var refusedCount = 0
    /// What may be there after a power cut, and after the process has died.
    private(set) var afterPowerCut = Promise.nothing
    private(set) var afterKill = Promise.nothing
    private(set) var held: (version: Version, commit: UInt64, contents: Contents, snapshots: [String])?
    /// How closing ended, once it was called.
    private(set) var closing: Result<Void, StorageError>?
    /// A call to the disk has failed since the store was opened, so calls of the store may fail.
    private(set) var isExcused = false
    /// Whether the one fault of the sequence was used.
    private(set) var hadFault = false
    var answer = ""

    struct Violation: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }

        /// Every error becomes one.
        static func wrapping<Result>(_ body: () throws -> Result) throws(Violation) -> Result {
            do { return try body() } catch { throw error as? Violation ?? Violation("\(error)") }
        }
    }

    init() { disk = RecordingDisk(directory: SimulatedStore.path, image: DiskImage(files: nil)) }

    /// Plays `steps`, one after the other.
    convenience init(_ steps: [Step]) throws(Violation) {
        self.init()
        for step in steps { try take(step) }
    }

    /// The calls that make sense now.
    var calls: [Call] {
        guard database != nil else { return [.open] }
        if closing != nil { return [.open, .close, .closeTwice, .flushed, .smallLoad, .compact] }
        return Call.allCases.filter { $0 != .open && ($0 != .hold || held?.commit != commit) }
    }

    var hasLastingFault: Bool { disk.fault?.isLasting == true }

    // MARK: Calls

    func take(_ step: Step) throws(Violation) { try Violation.wrapping { try play(step) } }

    private func play(_ step: Step) throws {
        if step.isMended { disk.fail(nil) }
        if let fault = step.fault {
            disk.fail(fault.diskFault)
            hadFault = true
        }
        let failures = disk.failedCallCount
        switch step.call {
        case .memory: try write(.memory)
        case .ordered: try write(.ordered)
        case .flushed: try write(.flushed)
        case .abandoned: try abandon()
        case .smallLoad: try load(valueByteCount: 5)
        case .largeLoad: try load(valueByteCount: 900)
        case .compact: try compact()
        case .hold: held = database.map { ($0.version, commit, contents, disk.snapshotNames) }
        case .close: try close()
        case .closeTwice: try closeTwice()
        case .restart:
            database = nil
            disk.releaseLocks()
            try open()
        case .open: try open()
        }
        if step.fault != nil, disk.failedCallCount == failures {
            throw Violation("the disk was to fail and was not asked: the store does not do the same again")
        }
        if let fault = disk.fault, !fault.isLasting { disk.fail(nil) }
        try checkReaders()
    }

    enum Outcome<Result: Sendable>: Sendable {
        case done(Result)
        case failed(any Error)
    }

    func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Outcome<Result> {
        let failures = disk.failedCallCount
        let ending = scheduler.run { () -> Outcome<Result> in
            do { return .done(try await body()) } catch { return .failed(error) }
        }
        if disk.failedCallCount > failures { isExcused = true }
        switch ending {
        case .finished(let outcome): return outcome
        case .deadlock: throw Violation("the call does not return")
        case .endless: throw Violation("the call goes on without end")
        }
    }

    private func write(_ durability: Durability) throws {
        let number = UInt8(truncatingIfNeeded: commit + 1)
        let change = SimulatedStore.Change(
            tree: SimulatedStore.hot, key: number % 3, value: [number, UInt8(truncatingIfNeeded: refusedCount)])
        try attempt([change], durability) { database, didRun in
            try await database.write(durability) { transaction in
                didRun.set()
                try SimulatedStore.apply([change], in: &transaction)
            }
        }
    }

    private func load(valueByteCount: Int) throws {
        let number = UInt8(truncatingIfNeeded: commit + 1)
        let value = [number, UInt8(truncatingIfNeeded: refusedCount)] + Array(repeating: 7, count: valueByteCount)
        let changes = (10..<13).map { SimulatedStore.Change(tree: SimulatedStore.cold, key: $0, value: value) }
        // What a load adds is durable when it returns.
        try attempt(changes, .flushed) { database, didRun in
            try await database.load { load in
                didRun.set()
                let collector = load.makeCollector()
                for change in changes { try SimulatedStore.apply(change, in: collector) }
            }
        }
    }

    /// A call that commits `changes`, or throws.
    private func attempt(
        _ changes: [SimulatedStore.Change], _ durability: Durability,
        _ call: @escaping @Sendable (Database, Flag) async throws -> Void
    ) throws {
        guard let database else { return }
        let (next, _) = SimulatedStore.applying(changes, to: contents)
        afterPowerCut.submit(commit + 1, next, at: disk.operationCount)
        afterKill.submit(commit + 1, next, at: disk.operationCount)
        let didRun = Flag()
        switch try run({ try await call(database, didRun) }) {
        case .done:
            guard closing == nil else { throw Violation("a closed store took a commit") }
            (commit, contents) = (commit + 1, next)
            if durability == .flushed { acknowledge(&afterPowerCut) }
            // The process's end takes nothing that was written, and without a failing disk everything is by now.
            if durability != .memory || !isExcused { acknowledge(&afterKill) }
        case .failed(let error):
            answer = "\(error)"
            try checkRefusal(error)
            if didRun.isSet { refusedCount += 1 }
            // Of what the disk had no room for nothing is kept, as little as of what never began. Otherwise a crash decides.
            if !didRun.isSet || (error as? StorageError).map(\.saysNothingWasKept) == true {
                afterPowerCut.withdraw(commit + 1, next, at: disk.operationCount)
                afterKill.withdraw(commit + 1, next, at: disk.operationCount)
            }
        }
    }

    private func acknowledge(_ promise: inout Promise) {
        promise.acknowledge(commit, contents, at: disk.operationCount)
    }

    private struct Abandoned: Error {}

    private func abandon() throws {
        guard let database else { return }
        let outcome = try run {
            try await database.write { transaction in
                try transaction.put([0xFF], forKey: [200], in: SimulatedStore.hot)
                throw Abandoned()
            }
        }
        guard case .failed(let error) = outcome else { throw Violation("a transaction that throws was committed") }
        if !(error is Abandoned) { try checkRefusal(error) }
    }

    private func compact() throws {
        guard let database else { return }
        switch try run({ try await database.compact() }) {
        case .done:
            guard closing == nil else { throw Violation("a closed store was compacted") }
            acknowledge(&afterPowerCut)
            acknowledge(&afterKill)
        case .failed(let error):
            // The log cannot begin a segment behind names that may not last. It moves everything to new files instead.
            if case .poisoned? = error as? StorageError, database.opening.isNameInDoubt { return }
            try checkRefusal(error)
        }
    }

    // MARK: Closing and opening

    private func close() throws {
        guard let database else { return }
        let (disk, wasRefusing) = (disk, database.status.refusal != nil)
        let outcome = try run { () -> (Result<Void, StorageError>, Bool) in (await database.closing(), disk.isLocked) }
        guard case .done(let (result, isLocked)) = outcome else { return }
        if isLocked { throw Violation("closing has returned and the store is still locked") }
        try note(result, wasRefusing)
    }

    private func closeTwice() throws {
        guard let database else { return }
        let (disk, wasRefusing) = (disk, database.status.refusal != nil)
        let outcome = try run { () -> [(Result<Void, StorageError>, Bool)] in
            async let first = (database.closing(), disk.isLocked)
            async let second = (database.closing(), disk.isLocked)
            return await [first, second]
        }
        guard case .done(let results) = outcome else { return }
        if results.contains(where: \.1) { throw Violation("closing has returned and the store is still locked") }
        for (result, _) in results { try note(result, wasRefusing) }
    }

    /// How one call of `close` ended.
    private func note(_ result: Result<Void, StorageError>, _ wasRefusing: Bool) throws {
        if let closing, closing.words != result.words {
            throw Violation("closing ended with \(closing.words); again, with \(result.words)")
        }
        if case .failure(let error) = result, !isExcused { throw Violation("closing failed without a cause: \(error)") }
        guard closing == nil else { return }
        closing = result
        guard case .success = result else { return }
        if !wasRefusing {
            acknowledge(&afterPowerCut)
            acknowledge(&afterKill)
        } else {
            // What the store refused may be in its files: that is why it refuses.
            afterPowerCut.acknowledgeBefore(commit, at: disk.operationCount)
            afterKill.acknowledgeBefore(commit, at: disk.operationCount)
        }
    }

    private func open() throws {
        let before = disk.operationCount
        let (disk, scheduler) = (disk, scheduler)
        isExcused = hasLastingFault
        let outcome = try run { try SimulatedStore.open(disk, work: scheduler) }
        switch outcome {
        case .failed(let error):
            guard isExcused else { throw Violation("the store does not open: \(error)") }
            database = nil
        case .done(let opened):
            let found = try SimulatedStore.contents(of: opened.version)
            if let objection = afterKill.kept(at: before).objection(to: opened.version.commitNumber, found) {
                throw Violation("reopened, \(objection)")
            }
            (database, commit, contents) = (opened, opened.version.commitNumber, found)
            (closing, refusedCount) = (nil, 0)
            // What a writing opening shows is durable, but for a name in doubt: the first commit moves everything to a new one.
            if !opened.opening.isNameInDoubt { acknowledge(&afterPowerCut) }
            acknowledge(&afterKill)
        }
    }

    // MARK: Checks

    private func checkRefusal(_ error: any Error) throws {
        if closing != nil {
            guard case .closed = error as? StorageError else {
                throw Violation("a closed store refuses with another error: \(error)")
            }
        } else if !isExcused {
            throw Violation("refused without a cause: \(error)")
        }
    }

    private func checkReaders() throws {
        if let database {
            let version = database.version
            guard version.commitNumber == commit, try SimulatedStore.contents(of: version) == contents else {
                throw Violation(
                    "readers see commit \(version.commitNumber), or other contents, where \(commit) is the newest")
            }
        }
        if let held, try SimulatedStore.contents(of: held.version) != held.contents {
            throw Violation("a version that was held reads differently")
        }
    }

    /// What a power cut right now, or the process's end, leaves to the next opening, each of it checked. And that the files, as
    /// they are, are sound.
    func checkCrashes(_ seen: CheckedCrashes) throws {
        let findings = database?.version.invariantFindings() ?? []
        guard findings.isEmpty else { throw Violation("\(findings)") }
        let now = disk.operationCount
        let kill = afterKill.kept(at: now)
        let view = disk.afterKill(operationCount: now, medium: disk.medium())
        if seen.insert(DiskImage(files: view.files), kill) { try recover(view, kill, "the process has died") }
        let cut = afterPowerCut.kept(at: now)
        // What a failed flush has brought to the medium nobody knows.
        let media = (1...(disk.hasFailedFlush ? 3 : 1)).map { disk.medium(seed: $0) }
        for medium in media where seen.insert(medium, cut) {
            for image in medium.fewImages where seen.insert(image, cut) {
                try recover(RecordingDisk(directory: SimulatedStore.path, image: image), cut, "the power was cut")
            }
        }
    }

    private func recover(_ left: RecordingDisk, _ promise: Promise, _ event: String) throws {
        let scheduler = JobScheduler()
        let ending = scheduler.run { () -> String? in
            do {
                try await Recovery.run(on: left, promise, work: scheduler)
                return nil
            } catch { return "\(error)" }
        }
        switch ending {
        case .finished(nil): return
        case .finished(let objection?): throw Violation("\(event), and \(objection)")
        case .deadlock, .endless: throw Violation("\(event), and the store that is opened again hangs")
        }
    }

    /// Closes the store on a disk in order, opens it again, and expects what was promised.
    func checkClosing(_ seen: CheckedCrashes) throws {
        guard database != nil else { return }
        var steps = [Step(.close), Step(.open, isMended: true), Step(.flushed)]
        if closing == nil { steps.insert(Step(.close, isMended: true), at: 0) }
        for (index, step) in steps.enumerated() {
            do {
                try take(step)
                if index < 2 { try checkCrashes(seen) }
            } catch { throw Violation("then \(Array(steps[...index]).text): \(error)") }
        }
    }
}

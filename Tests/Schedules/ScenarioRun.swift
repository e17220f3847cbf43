import CrashSimulation
import Scheduling
import StorageEngine

/// A scenario played by one schedule, and whether the store keeps everything it promises.
///
/// Every transaction and every load puts two keys that nobody else puts, one in each tree, so that what a store holds says which of
/// them are in it, and in halves none can be.
final class ScenarioRun: @unchecked Sendable {
    // Safe to share because only steps of one scheduler's thread touch it.

    struct Violation: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// A transaction or a load.
    private struct Write {
        var hasBegun = false
        var isAcknowledged = false
        let valueByteCount: Int
        /// The disk's operations when it was refused with the word that nothing of it was kept.
        var goneSince: Int?
    }

    /// Something that was promised when the disk had seen so many operations.
    private struct Promised {
        let operationCount: Int
        /// So many of the published commits survive a power cut from then on, and so many the end of the process.
        let durableCount: Int
        let writtenCount: Int
        /// And there are no others.
        var isAll = false
    }

    private let scenario: Scenario
    private let scheduler: JobScheduler
    private let disk: RecordingDisk
    private let publications: Publications
    private let database: Database
    private var writes: [Write] = []
    private var closings: [Result<Void, StorageError>] = []
    private var isClosing = false
    private var operationCountAtClosing: Int?
    private var promises: [Promised] = []
    /// The newest versions read, with what they held.
    private var read: [(version: Version, writes: Set<Int>)] = []
    private var objections: [String] = []
    /// What the calls answered, in the order in which they returned.
    private(set) var answers: [String] = []

    /// The writes that have been published, in order.
    private final class Publications: @unchecked Sendable {
        var order: [Int] = []
        var objection: String?

        func take(_ commit: PublishedCommit) {
            order.append(commit.note as? Int ?? -1)
            if commit.commitNumber != UInt64(order.count) {
                objection = "commit \(commit.commitNumber) was published as number \(order.count)"
            }
        }
    }

    /// Opens a store, in order and with nothing beside.
    init(_ scenario: Scenario) throws(Violation) {
        self.scenario = scenario
        let scheduler = JobScheduler(tick: scenario.isQuick ? .zero : .milliseconds(1))
        let disk = RecordingDisk(
            directory: SimulatedStore.path, image: DiskImage(files: scenario.isFresh ? nil : Self.closedStore))
        let publications = Publications()
        let ending = scheduler.run {
            try? SimulatedStore.open(disk, work: scheduler) { publications.take($0) }
        }
        guard case .finished(let opened?) = ending else { throw Violation("a store in order does not open") }
        (self.scheduler, self.disk, self.publications, database) = (scheduler, disk, publications, opened)
    }

    private static let closedStore: [String: [UInt8]] = {
        let disk = RecordingDisk(directory: SimulatedStore.path, image: DiskImage(files: nil))
        let scheduler = JobScheduler()
        _ = scheduler.run { try? await SimulatedStore.open(disk, work: scheduler).close() }
        return disk.files
    }()

    // MARK: Playing

    /// Plays the scenario, `choose` being the schedule, closes the store, and checks all that was promised.
    func play(_ checked: CheckedCrashes, choose: (Int) -> Int) throws(Violation) {
        disk.fail(scenario.fault)
        let ending = scheduler.run(limit: 5000, choose: choose) { [self] in
            await withTaskGroup(of: Void.self) { group in
                for calls in scenario.tasks {
                    group.addTask { [self] in for call in calls { await make(call) } }
                }
            }
        }
        switch ending {
        case .finished: break
        case .deadlock: throw Violation("a call never returns: nothing is left that could go on")
        case .endless: throw Violation("the calls go on without end")
        }
        disk.fail(nil)
        note()
        if closings.isEmpty {
            guard case .finished = scheduler.run({ [self] in await make(.close) }) else {
                throw Violation("closing at the end never returns")
            }
        }
        checkReaders()
        for (version, writes) in read where (try? held(by: version)) != writes {
            objections.append("a version that was held reads differently")
        }
        if let operationCountAtClosing, disk.operationCount > operationCountAtClosing {
            objections.append("the store goes on writing after it was closed")
        }
        if let objection = objections.first ?? publications.objection { throw Violation(objection) }
        try checkCrashes(checked)
    }

    private func make(_ call: Scenario.Call) async {
        switch call {
        case .write(let durability):
            await write("\(durability)", durability, valueByteCount: 1) { [database] index, begin in
                try await database.write(durability) { transaction in
                    begin()
                    transaction.note = index
                    try SimulatedStore.apply(Self.changes(index, 1), in: &transaction)
                }
            }
        case .smallLoad: await load(valueByteCount: 1)
        case .largeLoad: await load(valueByteCount: 3000)
        case .compact:
            let publishedCount = publications.order.count
            do {
                try await database.compact()
                answers.append("compacted")
                note(durable: publishedCount, written: publishedCount)
            } catch { refuse("compaction", error) }
        case .close:
            isClosing = true
            let wasRefusing = database.status.refusal != nil
            noteClosing(await database.closing(), wasRefusing)
        case .read:
            // A step of its own, so that the schedule says when.
            await scheduler.pause()
            checkReaders()
        case .mend:
            await scheduler.pause()
            disk.fail(nil)
        }
    }

    private func load(valueByteCount: Int) async {
        await write("load", .flushed, valueByteCount: valueByteCount) { [database] index, begin in
            try await database.load { load in
                begin()
                load.note = index
                let collector = load.makeCollector()
                for change in Self.changes(index, valueByteCount) {
                    try SimulatedStore.apply(change, in: collector)
                }
            }
        }
    }

    private static func changes(_ index: Int, _ valueByteCount: Int) -> [SimulatedStore.Change] {
        let key = UInt8(index)
        return [
            SimulatedStore.Change(tree: SimulatedStore.hot, key: key, value: [key]),
            SimulatedStore.Change(
                tree: SimulatedStore.cold, key: key, value: Array(repeating: key, count: valueByteCount)),
        ]
    }

    private func write(
        _ name: String, _ durability: Durability, valueByteCount: Int,
        _ call: (Int, @escaping @Sendable () -> Void) async throws -> Void
    ) async {
        let index = writes.count
        writes.append(Write(valueByteCount: valueByteCount))
        do {
            try await call(index) { self.writes[index].hasBegun = true }
            writes[index].isAcknowledged = true
            answers.append("\(name) \(index)")
            let place = publications.order.firstIndex(of: index)
            if place == nil { objections.append("\(name) \(index) was acknowledged and is not published") }
            let count = place.map { $0 + 1 } ?? 0
            if durability == .flushed { note(durable: count, written: count) }
            if durability == .ordered { note(written: count) }
            checkReaders()
        } catch {
            refuse("\(name) \(index)", error)
            if publications.order.contains(index) { objections.append("\(name) \(index) was published, and refused") }
            if (error as? StorageError)?.saysNothingWasKept == true { writes[index].goneSince = disk.operationCount }
        }
    }

    private func refuse(_ name: String, _ error: any Error) {
        answers.append("\(name): \("\(error)".prefix(60))")
        switch error {
        case StorageError.closed, StorageError.cancelled, is CancellationError: if isClosing { return }
        default: break
        }
        let isTransaction = !name.hasPrefix("load") && !name.hasPrefix("compaction")
        if disk.failedCallCount == 0 || (isTransaction && scenario.survivesFault) {
            objections.append("\(name) was refused without a cause: \(error)")
        }
    }

    private func noteClosing(_ result: Result<Void, StorageError>, _ wasRefusing: Bool) {
        answers.append("closed: \(result.words.prefix(60))")
        if disk.isLocked { objections.append("closing has returned and the store is still locked") }
        if case .failure(let error) = result, disk.failedCallCount == 0 {
            objections.append("closing failed without a cause: \(error)")
        }
        if let first = closings.first, first.words != result.words {
            objections.append("one closing ended with \(first.words), another with \(result.words)")
        }
        closings.append(result)
        if case .success = result {
            let count = publications.order.count
            promises.append(
                Promised(
                    operationCount: disk.operationCount, durableCount: count, writtenCount: count,
                    // What a store refuses may be in its files: that is why it refuses.
                    isAll: !wasRefusing))
        } else {
            note()
        }
        if operationCountAtClosing == nil { operationCountAtClosing = disk.operationCount }
    }

    private func note(durable durableCount: Int = 0, written writtenCount: Int = 0) {
        promises.append(
            Promised(operationCount: disk.operationCount, durableCount: durableCount, writtenCount: writtenCount))
    }

    // MARK: Checks

    /// Which writes a version holds, each of them whole.
    private func held(by version: Version) throws -> Set<Int> {
        let contents = try SimulatedStore.contents(of: version)
        let indices = writes.indices.filter { index in
            Self.changes(index, 0).contains { contents[SimulatedStore.name($0)] != nil }
        }
        let whole = indices.allSatisfy { index in
            Self.changes(index, 0).allSatisfy { contents[SimulatedStore.name($0)] != nil }
        }
        if !whole || contents.count != 2 * indices.count || version.commitNumber != UInt64(indices.count) {
            throw Violation("commit \(version.commitNumber) shows \(contents.keys.sorted())")
        }
        return Set(indices)
    }

    /// Readers see everything acknowledged, nothing refused, and never less than before.
    private func checkReaders() {
        let version = database.version
        do {
            let held = try held(by: version)
            if let last = read.last, !last.writes.isSubset(of: held) {
                objections.append("readers saw \(last.writes.sorted()), and later \(held.sorted())")
            }
            let missing = writes.indices.filter { writes[$0].isAcknowledged && !held.contains($0) }
            if !missing.isEmpty { objections.append("\(missing) were acknowledged, and readers do not see them") }
            if held != Set(publications.order) { objections.append("readers see what was not published, or less") }
            read.append((version, held))
        } catch { objections.append("\(error)") }
    }

    /// The power is cut, or the process ends, at every moment that something was promised at.
    private func checkCrashes(_ checked: CheckedCrashes) throws(Violation) {
        for (index, promised) in promises.enumerated() {
            let before = promises[...index]
            let isAll = before.contains(where: \.isAll)
            let now = promised.operationCount
            let medium = disk.medium(after: now)
            let cut = promise(at: now, before.map(\.durableCount).max() ?? 0, isAll: isAll)
            if checked.insert(medium, cut) {
                for image in medium.fewImages where checked.insert(image, cut) {
                    let left = RecordingDisk(directory: SimulatedStore.path, image: image)
                    try recover(left, cut, "the power was cut after \(now) operations")
                }
            }
            let view = disk.afterKill(operationCount: now, medium: medium)
            let kill = promise(at: now, before.map(\.writtenCount).max() ?? 0, isAll: isAll)
            if checked.insert(DiskImage(files: view.files), kill) {
                try recover(view, kill, "the process has died after \(now) operations")
            }
        }
    }

    /// What the store may hold then: the durable commits and any number of the next ones, and what was refused without a word of what
    /// becomes of it.
    private func promise(at operationCount: Int, _ durableCount: Int, isAll: Bool) -> Promise {
        var promise = Promise()
        let order = publications.order
        let unpublished = writes.indices.filter { index in
            writes[index].hasBegun && !order.contains(index) && operationCount < writes[index].goneSince ?? .max
        }
        for count in durableCount...order.count {
            for mask in 0..<(isAll ? 1 : 1 << unpublished.count) {
                let others = unpublished.indices.filter { mask >> $0 & 1 == 1 }.map { unpublished[$0] }
                let held = order[..<count] + others
                promise.submit(UInt64(held.count), contents(of: held), at: 0)
            }
        }
        return promise
    }

    private func contents(of held: ArraySlice<Int>) -> Promise.Contents {
        SimulatedStore.applying(held.flatMap { Self.changes($0, writes[$0].valueByteCount) }, to: [:]).0
    }

    private func recover(_ left: RecordingDisk, _ promise: Promise, _ event: String) throws(Violation) {
        let scheduler = JobScheduler()
        let ending = scheduler.run { () -> String? in
            do {
                try await Recovery.run(on: left, promise, work: scheduler)
                return nil
            } catch { return "\(error)" }
        }
        guard case .finished(let objection) = ending else { throw Violation("\(event), and opening hangs") }
        if let objection { throw Violation("\(event), and \(objection)") }
    }
}

import Testing

@testable import StorageEngine

/// The writer's state machine by itself: every sequence of events to a depth, with every outcome of the log.
@Suite struct CommitQueueTests {
    /// What an event may be. Whether it can happen is decided by what the queue has asked for.
    private enum Event: CaseIterable {
        case sealInMemory, sealFlushed
        case lastCannotBeMade, noneCanBeMade, lastIsTakenBack, allAreTakenBack
        case logSucceeds, logSucceedsAsOthersArrive, groupFilled, logIsFull, logFails
        case rotate, load, loadAdopts, loadEnds, loadUnknown, drain, close
    }

    /// A queue, and what a writer would know beside it.
    private struct Scene: Hashable {
        var queue = CommitQueue(commitNumber: 0)
        /// Who has the log, by the action that gave it away.
        var task: Task?
        /// Whether that is a group that was asked for just now.
        var hasNewGroup = false
        /// Whether a group waits for calls that have arrived.
        var isFilling = false
        var waitsForRotation = false
        var waitsForLoad = false
        var hasLoad = false
        var isClosed = false
        /// Commits that were acknowledged as durable.
        var promised: UInt64 = 0
        var durabilities: [UInt64: Bool] = [:]
        var trail: [String] = []

        enum Task: Hashable {
            case write(ClosedRange<UInt64>, isFlushed: Bool)
            case takeBack, rotate, rescue, seal(isWritable: Bool)
        }

        static func == (left: Scene, right: Scene) -> Bool { left.key == right.key }
        func hash(into hasher: inout Hasher) { hasher.combine(key) }
        private var key: String {
            "\(queue) \(String(describing: task)) \(waitsForRotation) \(waitsForLoad) \(hasLoad) \(isClosed) \(promised) \(hasNewGroup) \(isFilling)"
        }

        func canHappen(_ event: Event) -> Bool {
            switch event {
            case .sealInMemory, .sealFlushed:
                queue.refusal == nil && !queue.isClosing && !queue.hasLoad && queue.sealed < 5
            // Only commits that nobody has seen wait to be made.
            case .lastCannotBeMade, .noneCanBeMade: hasNewGroup && queue.sealed > queue.published
            case .lastIsTakenBack, .allAreTakenBack:
                if case .write(let numbers, _) = task { numbers.upperBound > queue.published } else { false }
            case .logSucceeds: task != nil
            case .logSucceedsAsOthersArrive: if case .write = task { true } else { false }
            case .groupFilled: isFilling
            case .logIsFull, .logFails: task != nil
            case .rotate:
                !waitsForRotation && task != .rotate && !queue.isClosing && queue.refusal == nil && !queue.hasLoad
            case .load: !queue.hasLoad && !hasLoad && !queue.isClosing && queue.refusal == nil && !waitsForRotation
            case .loadAdopts: hasLoad && queue.phase == .loading && !queue.isClosing
            case .loadEnds: hasLoad
            case .loadUnknown: hasLoad && queue.phase == .loading
            case .drain: true
            case .close: !queue.isClosing && !isClosed
            }
        }

        mutating func happen(_ event: Event) throws {
            trail.append("\(event)")
            hasNewGroup = false
            let disk = StorageError.diskFull(path: "A")
            let broken = StorageError.inputOutput(operation: "fdatasync", path: "A", code: 5)
            switch event {
            case .sealInMemory: try perform(queue.seal(.memory, byteCount: 10))
            case .sealFlushed:
                durabilities[queue.sealed + 1] = true
                try perform(queue.seal(.flushed, byteCount: 10))
            case .lastCannotBeMade: try shorten(behind: queue.sealed - 1)
            case .noneCanBeMade: try shorten(behind: queue.published)
            case .lastIsTakenBack:
                guard case .write(let numbers, _) = task else { return }
                try takeBack(behind: numbers.upperBound - 1)
            case .allAreTakenBack: try takeBack(behind: max(queue.published, queue.written))
            case .logSucceeds: try end(.written, .sealed)
            case .logSucceedsAsOthersArrive: try end(.written, .sealed, othersArrive: true)
            case .groupFilled:
                isFilling = false
                try perform(queue.groupFilled())
            case .logIsFull: try end(.failed(.nothingWritten(disk)), .failed(disk))
            case .logFails: try end(.failed(.unknownState(broken)), .failed(broken))
            case .rotate:
                waitsForRotation = true
                try perform(queue.rotate())
            case .load:
                waitsForLoad = true
                try perform(queue.load())
            case .loadAdopts:
                try perform(queue.loaded(queue.sealed + 1))
                promised = queue.published
            case .loadEnds:
                hasLoad = false
                try perform(queue.loadEnded())
            case .loadUnknown: try perform(queue.refuse(broken))
            case .drain: try perform(queue.drain())
            case .close: try perform(queue.close())
            }
        }

        private mutating func shorten(behind last: UInt64) throws {
            task = nil
            try perform(queue.shortenGroup(behind: last))
            try require(queue.sealed == last, "what cannot be made is taken back, and nothing else")
        }

        private mutating func takeBack(behind last: UInt64) throws {
            task = .takeBack
            queue.takeGroupBack(behind: last)
            try require(queue.sealed == last, "what cannot be made is taken back, and nothing else")
        }

        private mutating func end(
            _ outcome: CommitQueue.Outcome, _ sealing: CommitQueue.Sealing, othersArrive: Bool = false
        ) throws {
            guard let ended = task else { return }
            task = nil
            switch ended {
            case .write(_, let isFlushed):
                try perform(
                    queue.groupEnded(outcome, isFlushed ? .flushed : .memory, othersArrive: othersArrive))
            case .takeBack:
                switch outcome {
                case .written: try perform(queue.groupTakenBack(.success(())))
                case .failed(let failure):
                    try perform(queue.groupTakenBack(.failure(failure)))
                    guard case .unknownState = failure else { break }
                    try require(task == .rescue, "a log that may hold what was refused is not written again")
                }
            case .rotate:
                waitsForRotation = false
                try perform(queue.rotationEnded(outcome))
            case .rescue:
                if case .written = outcome {
                    try perform(queue.rescued(through: queue.sealed))
                } else {
                    try perform(queue.refuse(.diskFull(path: "B")))
                }
            case .seal(let isWritable):
                try perform(queue.closed(isWritable ? sealing : .sealed, isWritable: isWritable))
            }
        }

        private mutating func perform(_ actions: [CommitQueue.Action]) throws {
            for action in actions {
                switch action {
                case .write, .rotate, .rescue, .seal: try require(task == nil, "the log is given away once")
                default: break
                }
                switch action {
                case .write(let numbers, let durability):
                    try require(numbers.lowerBound == queue.written + 1, "a group begins behind what is written")
                    task = .write(numbers, isFlushed: durability == .flushed)
                    hasNewGroup = true
                case .publish(let last):
                    try require(last <= queue.sealed, "what is published is sealed")
                    if queue.durable >= last || durabilities[last] == true { promised = max(promised, queue.durable) }
                case .fillGroup:
                    try require(task == nil && !isFilling, "one group at a time waits for more")
                    isFilling = true
                case .undo(let last, _): try require(last >= promised, "what was promised is not undone")
                case .rotate: task = .rotate
                case .failRotation: waitsForRotation = false
                case .rescue: task = .rescue
                case .beginLoad:
                    try require(waitsForLoad, "somebody waits for the load")
                    (waitsForLoad, hasLoad) = (false, true)
                case .failLoad: waitsForLoad = false
                case .seal(let isWritable): task = .seal(isWritable: isWritable)
                case .finishClosing(let failure):
                    isClosed = true
                    if case .unsaved? = failure { break }
                    try require(
                        queue.durable >= queue.published, "closing is silent about commits that are not durable")
                case .rest: break
                }
            }
        }

        /// Nobody waits for something that nothing will bring.
        func checkProgress() throws {
            if task == nil, !hasLoad, !isFilling {
                try require(!waitsForRotation && !waitsForLoad, "a request waits although the log is at rest")
                try require(!queue.isClosing || isClosed, "closing waits although the log is at rest")
            }
            try require(queue.durable >= promised, "a durable commit is forgotten")
        }

        private func require(_ holds: Bool, _ claim: String) throws {
            if !holds { throw Broken(description: "\(claim): \(trail)") }
        }
    }

    private struct Broken: Error, CustomStringConvertible { let description: String }

    @Test func `every sequence of seven events keeps what was acknowledged and leaves nobody waiting`() throws {
        var scenes: Set<Scene> = [Scene()]
        var total = 0
        var merged = 0
        for _ in 0..<7 {
            var next: Set<Scene> = []
            for scene in scenes {
                for event in Event.allCases where scene.canHappen(event) {
                    var following = scene
                    try following.happen(event)
                    try following.checkProgress()
                    total += 1
                    if !next.insert(following).inserted { merged += 1 }
                }
            }
            scenes = next
        }
        print(
            "\(total) events, \(merged) led to states that were met already at their depth, \(scenes.count) at the end")
        #expect(total > 10_000)
    }

    @Test func `commits in memory are seen at once, and tried again only as they grow while the log is full`() {
        var queue = CommitQueue(commitNumber: 0)
        #expect(queue.seal(.memory, byteCount: 1000) == [.publish(through: 1), .write(1...1, .memory)])
        let full = StorageError.diskFull(path: "A")
        #expect(queue.groupEnded(.failed(.nothingWritten(full)), .memory) == [.rest])
        var tries = 0
        for number in 2...20_000 as ClosedRange<UInt64> {
            let actions = queue.seal(.memory, byteCount: 1000)
            guard actions != [.publish(through: number)] else { continue }
            tries += 1
            _ = queue.groupEnded(.failed(.nothingWritten(full)), .memory)
        }
        #expect(tries < 40, "each try costs all that waits")
        #expect(queue.stallReason == full)
        // Someone who waits for the log has it tried at once.
        #expect(queue.seal(.flushed, byteCount: 1) == [.write(1...20_001, .flushed)])
        #expect(
            queue.groupEnded(.failed(.nothingWritten(full)), .flushed) == [.undo(behind: 20_000, full), .rest])
        #expect(queue.failure == full)
        #expect(queue.drain() == [.write(1...20_000, .memory)])
        #expect(queue.failure == full, "while it is tried again nobody knows")
        #expect(queue.groupEnded(.written, .memory) == [.rest])
        #expect(queue.stallReason == nil && queue.failure == nil)
    }

    @Test func `a load makes durable what the log refused`() {
        var queue = CommitQueue(commitNumber: 0)
        _ = queue.seal(.memory, byteCount: 10)
        let full = StorageError.diskFull(path: "A")
        _ = queue.groupEnded(.failed(.nothingWritten(full)), .memory)
        // Tried once more, in vain; the load does not need the log.
        #expect(queue.load() == [.write(1...1, .memory)])
        #expect(queue.groupEnded(.failed(.nothingWritten(full)), .memory) == [.beginLoad])
        #expect(queue.loaded(2) == [])
        #expect(queue.loadEnded() == [.rest])
        #expect(queue.written == 2)
        #expect(queue.unwrittenByteCount == 0)
        #expect(queue.seal(.flushed, byteCount: 1) == [.write(3...3, .flushed)])
    }
}

import CrashSimulation
import Dispatch
import Scheduling

/// Plays every sequence of calls up to a depth, with no fault and with one fault at every call to the disk, and checks after each
/// call what the model allows. Sequences that lead to equal states are continued once.
///
/// Breadth first, so that what is found is found by the shortest sequence there is.
package final class SequenceSearch: Sendable {
    /// What the search has met.
    package struct Counts: Sendable {
        /// Sequences played: each is a known state and one more call.
        package var sequences = 0
        package var faults = 0
        package var states = 0
        /// Sequences that led to a state met before.
        package var merged = 0
        /// Crashes, closings and reopenings checked.
        package var recoveries = 0
        package var depth = 0
        package var isComplete = true

        package var lines: [String] {
            [
                "\(sequences) sequences of calls, \(faults) of them with a fault at the last call",
                "\(states) states to depth \(depth)\(isComplete ? "" : ", not completed"); \(merged) sequences merged",
                "\(recoveries) distinct crashes and closings recovered and checked",
            ]
        }
    }

    /// A promise that was broken, and the shortest way to it.
    package struct Finding: Sendable, CustomStringConvertible {
        package let sequence: String
        package let text: String
        package var description: String { "\(sequence)\n    \(text)" }
    }

    private struct State: Sendable {
        let steps: [Step]
        let canFail: Bool
    }

    private struct Child: Sendable {
        let steps: [Step]
        let key: Result<Int, ModelledStore.Violation>
        let canFail: Bool
    }

    private let checked = CheckedCrashes()

    init() {}

    /// From a new, open store and, with faults in its creation, from nothing.
    package static func run(
        depth: Int, seconds: Int? = nil, progress: @escaping @Sendable (String) -> Void = { _ in }
    ) async -> (Counts, [Finding]) {
        await beside {
            SequenceSearch().run(from: [[], [Step(.open)]], depth: depth, seconds: seconds, progress: progress)
        }
    }

    func run(
        from beginnings: [[Step]], depth: Int, seconds: Int? = nil, progress: @Sendable (String) -> Void = { _ in }
    ) -> (Counts, [Finding]) {
        let end = seconds.map { ContinuousClock.now + .seconds($0) }
        var counts = Counts()
        var findings: [Finding] = []
        var known: Set<Int> = []
        var frontier = beginnings.map { State(steps: $0, canFail: true) }
        for level in 1...depth {
            counts.depth = level
            var next: [State] = []
            // In portions, so that what waits to be merged stays small.
            for start in stride(from: 0, to: frontier.count, by: 64) {
                if let end, ContinuousClock.now >= end {
                    counts.isComplete = false
                    break
                }
                let portion = Array(frontier[start..<min(start + 64, frontier.count)])
                let children = concurrently(portion) { self.children(of: $0) }.joined()
                var fresh: [State] = []
                for child in children {
                    counts.sequences += 1
                    if child.steps.last?.fault != nil { counts.faults += 1 }
                    switch child.key {
                    case .failure(let violation):
                        findings.append(Finding(sequence: child.steps.text, text: violation.description))
                    case .success(let key):
                        guard known.insert(key).inserted else {
                            counts.merged += 1
                            continue
                        }
                        fresh.append(State(steps: child.steps, canFail: child.canFail))
                    }
                }
                counts.states += fresh.count
                let isLast = level == depth
                let broken = concurrently(fresh) { self.finding(at: $0, isLast: isLast) }
                for (state, finding) in zip(fresh, broken) {
                    if let finding { findings.append(finding) } else { next.append(state) }
                }
                if start % 1024 == 0 {
                    progress(
                        "depth \(level): \(start) of \(frontier.count) states continued, \(counts.states) in all, "
                            + "\(counts.sequences) sequences, \(findings.count) findings")
                }
            }
            frontier = next
        }
        counts.recoveries = checked.count
        return (counts, findings)
    }

    /// Every way to go on from a state by one call.
    private func children(of state: State) -> [Child] {
        guard let store = try? ModelledStore(state.steps) else { return [] }
        var children: [Child] = []
        let callsBefore = store.disk.calls.count
        for call in store.calls {
            for isMended in store.hasLastingFault ? [false, true] : [false] {
                let (child, calls) = play(state.steps + [Step(call, isMended: isMended)], state.canFail)
                children.append(child)
                guard state.canFail else { continue }
                for (index, made) in calls.dropFirst(callsBefore).enumerated() {
                    for fault in Step.Fault.all(of: made, at: index) {
                        children.append(play(state.steps + [Step(call, fault: fault)], false).0)
                    }
                }
            }
        }
        return children
    }

    private func play(_ steps: [Step], _ canFail: Bool) -> (Child, [DiskFault.Call]) {
        let store = ModelledStore()
        let key = Result { () throws(ModelledStore.Violation) in
            for step in steps { try store.take(step) }
            return try store.key()
        }
        return (Child(steps: steps, key: key, canFail: canFail), store.disk.calls)
    }

    private func finding(at state: State, isLast: Bool) -> Finding? {
        do {
            let store = try ModelledStore(state.steps)
            try store.checkCrashes(checked)
            if isLast { try store.checkClosing(checked) }
            return nil
        } catch { return Finding(sequence: state.steps.text, text: "\(error)") }
    }

    /// Plays a sequence given as text, with all the checks after each call, and gives what it finds.
    ///
    /// - Parameter trace: is told what each call asked of the disk, and what it changed there.
    package static func replay(
        _ text: String, _ trace: @escaping @Sendable (String) -> Void = { _ in }
    ) async -> String? {
        guard let steps = [Step](text: text) else { return "no sequence: \(text)" }
        return await beside {
            do {
                let store = ModelledStore()
                let checked = CheckedCrashes()
                for step in steps {
                    let (calls, operations) = (store.disk.calls.count, store.disk.operationCount)
                    defer {
                        let asked = store.disk.calls.dropFirst(calls).map(\.rawValue)
                        trace("\(step) \(store.answer)\n    asks the disk to \(asked)")
                        for operation in store.disk.operations.dropFirst(operations) { trace("    \(operation)") }
                    }
                    try store.take(step)
                    try store.checkCrashes(checked)
                }
                try store.checkClosing(checked)
                return nil
            } catch { return "\(error)" }
        }
    }
}

extension Step.Fault {
    /// The ways a call to the disk fails: with an error, once; and where space can run out, with that, once and from then on. A call
    /// that needs no space fails for ever with an error.
    static func all(of call: DiskFault.Call, at index: Int) -> [Step.Fault] {
        let once = Step.Fault(index: index, reason: .inputOutput, isLasting: false)
        switch call {
        case .open, .write, .reserve, .flush, .rename, .flushDirectory:
            return [
                once, Step.Fault(index: index, reason: .diskFull, isLasting: false),
                Step.Fault(index: index, reason: .diskFull, isLasting: true),
            ]
        case .read, .truncate, .map, .remove, .names:
            return [once, Step.Fault(index: index, reason: .inputOutput, isLasting: true)]
        }
    }
}

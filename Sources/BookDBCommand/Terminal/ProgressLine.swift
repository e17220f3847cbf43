import Synchronization

/// One line on standard error that is drawn over and over: only on a terminal, and only after 0.3 s.
///
/// `compacting  ━━━━━━━━━━━━━━━━━━━━━──────────── 62 %   0:01 left`
final class ProgressLine: Sendable {
    private struct State {
        var lastDrawn: ContinuousClock.Instant?
        var isDrawn = false
    }

    private let verb: String
    private let isShown: Bool
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    private static let patience = Duration.milliseconds(300)
    private static let pause = Duration.milliseconds(80)
    private static let barWidth = 36

    init(_ verb: String) {
        self.verb = verb
        isShown = SystemCalls.isTerminal(SystemCalls.standardError)
    }

    /// Draws how far the work is, when there is somebody to see it and the last drawing is a moment old.
    func update(fraction: Double?, _ detail: String = "") {
        guard isShown else { return }
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            guard now - start >= Self.patience, state.lastDrawn.map({ now - $0 >= Self.pause }) ?? true else {
                return false
            }
            state.lastDrawn = now
            state.isDrawn = true
            return true
        }
        guard isDue else { return }
        StandardError.write("\r\u{1B}[K" + line(fraction: fraction, detail: detail, elapsed: now - start))
    }

    /// Draws the time that has passed, for work that cannot tell how far it is. Goes on until it is cancelled.
    func ticking() -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                update(fraction: nil)
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Takes the line away, so that the answer stands where it was.
    func clear() {
        let wasDrawn = state.withLock { state in
            defer { state.isDrawn = false }
            return state.isDrawn
        }
        if wasDrawn { StandardError.write("\r\u{1B}[K") }
    }

    private func line(fraction: Double?, detail: String, elapsed: Duration) -> String {
        guard let fraction else { return "\(verb)  \(NumberText.duration(elapsed))  \(detail)" }
        let share = min(1, max(0, fraction))
        let filled = Int(share * Double(Self.barWidth))
        let bar = String(repeating: "━", count: filled) + String(repeating: "─", count: Self.barWidth - filled)
        var line = "\(verb)  \(bar) \(Int(share * 100)) %   \(detail)"
        if share > 0.02 {
            let left = Int(elapsed / .seconds(1) * (1 - share) / share)
            line += "   \(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left"
        }
        return line
    }
}

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
    private static let widestBar = 36
    private static let narrowestBar = 8

    init(_ verb: String) {
        self.verb = verb
        isShown = SystemCalls.isTerminal(SystemCalls.standardError)
    }

    /// What went wrong stands where the line was, too.
    deinit { clear() }

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
        let width = SystemCalls.columnCount(SystemCalls.standardError) ?? 80
        let line = Self.line(verb, fraction: fraction, detail: detail, elapsed: now - start, width: width - 1)
        StandardError.write("\r\u{1B}[K" + line)
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

    /// One line of at most `width` columns: on a narrow terminal the bar is shorter, or left out.
    static func line(_ verb: String, fraction: Double?, detail: String, elapsed: Duration, width: Int) -> String {
        guard let fraction else { return String("\(verb)  \(NumberText.duration(elapsed))  \(detail)".prefix(width)) }
        let share = min(1, max(0, fraction))
        var words = "\(Int(share * 100)) %   \(detail)"
        if share > 0.02 {
            let left = Int(elapsed / .seconds(1) * (1 - share) / share)
            words += "   \(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left"
        }
        let barWidth = min(widestBar, width - verb.count - words.count - 3)
        guard barWidth >= narrowestBar else { return String("\(verb)  \(words)".prefix(width)) }
        let filled = Int(share * Double(barWidth))
        let bar = String(repeating: "━", count: filled) + String(repeating: "─", count: barWidth - filled)
        return "\(verb)  \(bar) \(words)"
    }
}

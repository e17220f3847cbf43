#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An answer that somebody else has, such as a shop, and that an app needs before it can ask: kept with its time, and verified after the
/// first frame.
///
/// ```swift
/// let premium = Verified(store, "premium", Bool.self)
/// let showsCovers = premium.value ?? false                    // at once, whatever the network does
/// premium.verify(ask: { true /* asks a server */ }) { cached, actual in
///     print("The shop says \(actual), and \(cached.map { "\($0)" } ?? "nothing") was kept.")
/// }
/// ```
///
/// Reading never waits: neither for a disk nor for a network. The answers of a library lie in a small file beside its log and are no part
/// of it; without the file nothing is cached.
public final class Verified<Value: Codable & Equatable & Sendable>: Sendable {
    /// An answer and when it was given.
    public struct Answer: Sendable, Equatable {
        public let value: Value
        public let date: Date
    }

    /// Names the answer in the library.
    public let name: String
    private let answers: AnswerFile
    private let launch: Launch
    private let now: @Sendable () -> Date

    public convenience init(_ store: RecordLibrary, _ name: String, _ type: Value.Type = Value.self) {
        self.init(store, name, type, now: { Date() })
    }

    init(_ store: RecordLibrary, _ name: String, _ type: Value.Type, now: @escaping @Sendable () -> Date) {
        self.name = name
        answers = store.answers
        launch = store.launch
        self.now = now
    }

    /// The last answer; `nil` when there is none, and while a library on a slow disk is being opened, or its disk is not there.
    public var answer: Answer? {
        guard let stored = answers[name], let value = try? JSONDecoder().decode(Value.self, from: stored.value) else {
            return nil
        }
        return Answer(value: value, date: stored.date)
    }

    public var value: Value? { answer?.value }

    /// How long ago the answer was given; `nil` when there is none. Not less than zero, whatever a clock was set to.
    public var age: Duration? { answer.map { .seconds(max(0, min(1e12, now().timeIntervalSince($0.date)))) } }

    /// Whether the answer is older than that, or from the future, or there is none.
    public func isStale(after lifetime: Duration) -> Bool {
        guard let answer else { return true }
        let age = now().timeIntervalSince(answer.date)
        return age < 0 || age > lifetime / .seconds(1)
    }

    /// Keeps an answer as of now. All answers of a library lie in one small file.
    ///
    /// Where another process has filled that file meanwhile, an answer that has no room stays in memory, is tried again with the next that is set, and the
    /// library's `log` is told.
    ///
    /// - Throws: `LibraryError.invalidArgument` for an answer that JSON cannot say, which has no NaN and no infinity, or that does not fit
    ///   700 KiB of JSON beside the others, their names counted. What was kept stays then.
    public func set(_ value: Value) throws(LibraryError) {
        let json: Data
        do {
            json = try JSONEncoder().encode(value)
        } catch {
            throw .invalidArgument("The answer \"\(name)\" cannot be kept, since JSON cannot say it: \(error).")
        }
        let stored = AnswerFile.Stored(value: json, date: now())
        guard answers.set(stored, name) else {
            throw .invalidArgument(
                "The answer \"\(name.prefix(100))\" takes \(stored.byteCount(name)) bytes with its name, and does not fit "
                    + "\(AnswerFile.byteLimit >> 10) KiB beside the others. Forget one of them, or keep less.")
        }
    }

    /// Forgets the answer.
    public func forget() { answers.set(nil, name) }

    /// Asks after the first frame, or at once when that is shown, and keeps the answer. Once in a launch; a failure leaves what is kept, and is
    /// asked again by the rule.
    ///
    /// - Parameters:
    ///   - lifetime: an answer that is younger is not asked for again; `nil` asks in each launch.
    ///   - ask: throws where no answer can be had. One that cannot be kept fails as well (`set`).
    ///   - mismatch: called once when the answer is another than what was kept, with both; `nil` for what was kept when that was nothing.
    public func verify(
        after lifetime: Duration? = nil, priority: TaskPriority = .high, retry: LaunchJob.Retry = .whenActive,
        ask: @escaping @Sendable () async throws -> Value,
        mismatch: @escaping @Sendable (_ kept: Value?, _ actual: Value) -> Void = { _, _ in }
    ) {
        launch.afterFirstFrame("verify \(name)", priority: priority, retry: retry) { [self] in
            // What the opening has not come to read yet is not taken for nothing.
            if !answers.isLoaded { answers.load() }
            if let lifetime, !isStale(after: lifetime) { return "kept, and not old enough to ask" }
            let actual = try await ask()
            let kept = value
            try set(actual)
            if kept == actual { return "as was kept" }
            mismatch(kept, actual)
            return kept == nil ? "the first answer" : "another than was kept"
        }
    }
}

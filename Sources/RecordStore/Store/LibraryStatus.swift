/// What an app shows of how its library fares: nothing, a line, a line and a bar, a notice, or a failure.
///
/// It is a value without any drawing: `StoreStatusView` of BookDBUI shows it in SwiftUI, and a terminal or a server shows it with
///
/// ```swift
/// for await status in store.statuses() {
///     switch status {
///     case .nothing: break
///     case .waiting(let words), .notice(let words): print(words)
///     case .progress(let words, let fraction): print(words, fraction.map { "\(Int($0 * 100)) %" } ?? "")
///     case .failure(let words, let offersRetry): print(words, offersRetry ? "Press return to try again." : "")
///     }
/// }
/// ```
public enum LibraryStatus: Sendable, Hashable {
    /// The library is well, or has kept its app waiting for less than a second.
    case nothing

    /// The library has kept its app waiting for a second.
    case waiting(Words)

    /// It has kept its app waiting for three seconds. The fraction, 0...1, is `nil` where nobody knows how long it will take.
    case progress(Words, fraction: Double?)

    /// Everything can be read and changed, and something happened that is worth a word.
    case notice(Words)

    /// Something cannot be read or changed. With `offersRetry`, `RecordLibrary.retry()` may help.
    case failure(Words, offersRetry: Bool)

    /// What is said. Nothing is cut off: a view that is too small for it grows or scrolls.
    public struct Words: Sendable, Hashable {
        /// What is the matter, in a few words and without a full stop.
        public var title: String

        /// The details, in sentences.
        public var detail: String?

        /// What to do now, in sentences.
        public var nextStep: String?

        /// What a screen reader says: all of the above, unless it is set.
        public var accessibilityLabel: String

        public init(
            title: String, detail: String? = nil, nextStep: String? = nil, accessibilityLabel: String? = nil
        ) {
            (self.title, self.detail, self.nextStep) = (title, detail, nextStep)
            let sentences = [detail, nextStep].compactMap(\.self)
            let all = sentences.isEmpty ? title : ([title + "."] + sentences).joined(separator: " ")
            self.accessibilityLabel = accessibilityLabel ?? all
        }
    }

    /// `nil` for `nothing`.
    public var words: Words? {
        switch self {
        case .nothing: nil
        case .waiting(let words), .progress(let words, _), .notice(let words), .failure(let words, _): words
        }
    }
}

extension LibraryStatus.Words: CustomStringConvertible {
    /// All that is said, in one line.
    public var description: String { accessibilityLabel }
}

/// Says what to show at a time, from how a library fares and how long it has kept its app waiting.
///
/// Opening and upgrading count as one wait: a bar does not go away between them.
struct LibraryStatusSchedule {
    static let wordsAfter = Duration.seconds(1)
    static let barAfter = Duration.seconds(3)

    private var waitingSince: Duration?

    /// - Parameter now: by a clock that only goes forward.
    /// - Returns: what to show, and when that changes by itself.
    mutating func status(
        of health: RecordLibrary.Health, at now: Duration, _ texts: LibraryStatusTexts
    ) -> (status: LibraryStatus, changesAt: Duration?) {
        switch health {
        case .opening(let fraction): return waiting(fraction, health, now, texts)
        case .upgrading(let fraction): return waiting(fraction, health, now, texts)
        case .ready, .recovered, .unsaved, .behind, .readOnly, .damaged, .unavailable: waitingSince = nil
        }
        let status: LibraryStatus =
            switch health {
            case .opening, .upgrading, .ready: .nothing
            // The app has closed it itself.
            case .readOnly(.closed): .nothing
            case .recovered: .notice(texts.words(health))
            case .damaged: .failure(texts.words(health), offersRetry: false)
            case .unsaved, .behind: .failure(texts.words(health), offersRetry: true)
            case .readOnly(let error), .unavailable(let error):
                .failure(texts.words(health), offersRetry: error.mayPass)
            }
        return (status, nil)
    }

    private mutating func waiting(
        _ fraction: Double?, _ health: RecordLibrary.Health, _ now: Duration, _ texts: LibraryStatusTexts
    ) -> (status: LibraryStatus, changesAt: Duration?) {
        let start = waitingSince ?? now
        waitingSince = start
        if now < start + Self.wordsAfter { return (.nothing, start + Self.wordsAfter) }
        let words = texts.words(health)
        if now < start + Self.barAfter { return (.waiting(words), start + Self.barAfter) }
        return (.progress(words, fraction: fraction.map { min(max($0, 0), 1) }), nil)
    }
}

extension LibraryError {
    /// Whether an opening that failed with it may succeed later, without another version of the app or other files.
    var mayPass: Bool {
        switch self {
        case .inUse, .diskFull, .tooLittleSpace, .readOnly, .notPermitted, .notFound, .missingParent, .notARegularFile,
            .displaced, .inputOutput, .cancelled, .suspended:
            true
        case .notALibrary, .damaged, .tooNew, .unknownFeatures, .outdated, .opening, .exists, .backupRefused,
            .recordNotFound, .duplicate, .notUnique, .referenced, .invalidValue, .schemaMismatch, .incompleteOrder,
            .mixedUnits, .undoRefused, .undoLost, .invalidArgument, .tooLarge, .closed, .unsaved, .refusingWrites:
            false
        }
    }
}

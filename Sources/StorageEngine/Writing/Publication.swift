/// The newest acknowledged version. Taking it costs a lock of a few instructions and a retain; the writer holds the lock
/// just as briefly.
final class Publication: Sendable {
    private let current: Lock<Version>

    init(_ version: Version) { current = Lock(version) }

    var version: Version {
        get { current.withLock { $0 } }
        set {
            // The old version is let go outside the lock: its end may free memory.
            let old = current.withLock { stored in
                defer { stored = newValue }
                return stored
            }
            withExtendedLifetime(old) {}
        }
    }
}

/// The newest acknowledged version. Taking it costs a lock of a few instructions and a retain; the writer holds the lock
/// just as briefly.
final class Publication: Sendable {
    private let current: Lock<(version: Version, ordinal: UInt64)>

    init(_ version: Version) {
        version.ordinal.give(1)
        current = Lock((version, 1))
    }

    var version: Version {
        get { current.withLock { $0.version } }
        set {
            // The old version is let go outside the lock: its end may free memory.
            let old = current.withLock { stored in
                stored.ordinal += 1
                newValue.ordinal.give(stored.ordinal)
                defer { stored.version = newValue }
                return stored.version
            }
            withExtendedLifetime(old) {}
        }
    }
}

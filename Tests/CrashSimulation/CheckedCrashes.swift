import Synchronization

/// Crashes that were checked, each with what was promised then, so that none is checked twice.
package final class CheckedCrashes: Sendable {
    private let state = Mutex((hashes: Set<Int>(), count: 0))

    package init() {}

    /// How many differed.
    package var count: Int { state.withLock { $0.count } }

    package func insert(_ image: DiskImage, _ promise: Promise) -> Bool {
        let isNew = insert(promise) { image.hash(into: &$0) }
        if isNew { state.withLock { $0.count += 1 } }
        return isNew
    }

    /// All the crashes at once that a medium can have now.
    package func insert(_ medium: CrashState, _ promise: Promise) -> Bool { insert(promise) { medium.hash(into: &$0) } }

    private func insert(_ promise: Promise, _ hash: (inout Hasher) -> Void) -> Bool {
        var hasher = Hasher()
        hash(&hasher)
        hasher.combine(promise)
        let value = hasher.finalize()
        return state.withLock { $0.hashes.insert(value).inserted }
    }
}

/// The newest acknowledged version. Taking it costs a lock of a few instructions and a retain; the writer holds the lock
/// just as briefly.
final class Publication: Sendable {
    private let current: Lock<(version: Version, ordinal: UInt64)>
    /// Those whose versions readers got and may still hold, the newest last.
    private let generations: Lock<[WeakGeneration]>

    private struct WeakGeneration {
        weak var generation: Generation?
    }

    private let onDamage: @Sendable (Damage) -> Void
    private let onMove = Lock<(@Sendable () -> Void)?>(nil)

    /// - Parameter onDamage: called where somebody reads damage of one of the versions.
    init(_ version: Version, onDamage: @escaping @Sendable (Damage) -> Void = { _ in }) {
        self.onDamage = onDamage
        version.ordinal.give(1)
        current = Lock((version, 1))
        generations = Lock([WeakGeneration(generation: version.generation)])
        version.generation.file.whenDamageIsMet(onDamage)
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
            if old.generation !== newValue.generation { note(newValue.generation) }
            withExtendedLifetime(old) {}
        }
    }

    /// Calls `body` when the newest version has come to another snapshot file and no commit tells of that.
    func whenMoved(_ body: @escaping @Sendable () -> Void) { onMove.withLock { $0 = body } }

    func noteMove() { onMove.withLock { $0 }?() }

    private func note(_ generation: Generation) {
        generation.file.whenDamageIsMet(onDamage)
        generations.withLock { generations in
            generations.removeAll { $0.generation == nil }
            generations.append(WeakGeneration(generation: generation))
        }
    }

    /// What the generations have in memory: O(those that are held).
    var memory: StoreMemory {
        // Let go outside the lock: the last reference may free memory.
        let held = generations.withLock { $0.compactMap(\.generation) }
        let newest = version.generation
        var memory = StoreMemory()
        for generation in held { memory.add(generation, isNewest: generation === newest) }
        return memory
    }
}

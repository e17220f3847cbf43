import Synchronization

/// Something that a test switches on and off while the engine runs.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }
    func set(_ newValue: Bool) { value.store(newValue, ordering: .releasing) }
}

/// Counts from any thread.
final class CallCounter: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .acquiring) }
    /// One more.
    func count() -> Int { number.add(1, ordering: .acquiringAndReleasing).newValue }
}

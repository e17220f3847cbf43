import Synchronization

/// Something that a test switches on and off while the engine runs.
public final class Flag: Sendable {
    private let value = Atomic(false)

    public init() {}

    public var isSet: Bool { value.load(ordering: .acquiring) }
    public func set(_ newValue: Bool = true) { value.store(newValue, ordering: .releasing) }
}

/// Counts from any thread.
public final class CallCounter: Sendable {
    private let number = Atomic(0)

    public init() {}

    public var value: Int { number.load(ordering: .acquiring) }
    /// One more.
    public func count() -> Int { number.add(1, ordering: .acquiringAndReleasing).newValue }
}

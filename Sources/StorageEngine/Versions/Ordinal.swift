import Synchronization

/// A number that is given once and read by anybody.
package final class Ordinal: Sendable {
    private let number = Atomic<UInt64>(0)

    package var value: UInt64 { number.load(ordering: .acquiring) }

    func give(_ value: UInt64) { number.store(value, ordering: .releasing) }
}

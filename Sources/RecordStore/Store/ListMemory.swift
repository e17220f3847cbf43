import Synchronization

/// What the live lists of a library hold of the rows they have chosen. Lists are the main actor's; who asks may be anybody.
package final class ListMemory: Sendable {
    private let count = Atomic(0)

    package var byteCount: Int { count.load(ordering: .relaxed) }

    package func change(by difference: Int) { count.add(difference, ordering: .relaxed) }
}

import Synchronization

/// What the live lists of a library hold of the rows they have chosen. Lists are the main actor's; who asks may be anybody.
package final class ListMemory: Sendable {
    private let count = Atomic(0)

    package var byteCount: Int { count.load(ordering: .relaxed) }

    fileprivate func change(by difference: Int) { count.add(difference, ordering: .relaxed) }
}

/// What one list holds of it, as long as the list is there: on whichever thread that ends.
final class ListMemoryShare: Sendable {
    private let memory: ListMemory
    private let count = Atomic(0)

    init(of memory: ListMemory) { self.memory = memory }

    func hold(_ byteCount: Int) {
        memory.change(by: byteCount - count.exchange(byteCount, ordering: .relaxed))
    }

    deinit { memory.change(by: -count.load(ordering: .relaxed)) }
}

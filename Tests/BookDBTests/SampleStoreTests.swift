import Synchronization
import Testing

@testable import BookDB
@testable import RecordStore

@Suite struct SampleStoreTests {
    private func export(_ store: BookStore) throws -> [String] {
        var lines: [String] = []
        try store.snapshot.export { lines.append($0) }
        return lines
    }

    @Test func `a sample store has the works asked for and is sound`() async throws {
        let store = try await BookStore.sample(works: 1_500)
        let snapshot = store.snapshot
        #expect(try snapshot.works.count == 1_500)
        #expect(try snapshot.editions.count > 1_800)
        #expect(try (350...600).contains(snapshot.authors.count))
        #expect(try await store.verify().isSound)
        try await store.close()
    }

    @Test func `two stores of one seed export the same lines and another seed others`() async throws {
        let one = try await BookStore.sample(works: 400, seed: 11)
        let twin = try await BookStore.sample(works: 400, seed: 11)
        let other = try await BookStore.sample(works: 400, seed: 12)
        let lines = try export(one)
        #expect(try export(twin) == lines)
        #expect(try export(other) != lines)
    }

    @Test func `filling with more than ten thousand works is one load that tells how far it is`() async throws {
        let store = try BookStore.inMemory()
        let told = Told()
        try await store.fill(withSample: 10_500, seed: 3) { told.add($0) }
        #expect(told.counts == [10_000, 10_500])
        #expect(store.snapshot.commitNumber == 1)
        #expect(try store.snapshot.works.count == 10_500)
    }
}

/// Counts told from another thread.
private final class Told: Sendable {
    private let list = Mutex<[Int]>([])

    var counts: [Int] { list.withLock { $0 } }

    func add(_ count: Int) {
        list.withLock { $0.append(count) }
    }
}

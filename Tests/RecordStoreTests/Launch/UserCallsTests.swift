import TestSupport
import Testing

@testable import RecordStore

/// The library's own work lets the app's go first.
struct UserCallsTests {
    @Test func `who yields waits for what is under way, and not for what begins later`() async {
        let work = UserCalls()
        let (first, second) = (work.begin(), work.begin())
        let yielding = Task { await work.yield() }
        while work.waiterCount == 0 { await pause() }
        let later = work.begin()
        work.end(second)
        #expect(work.waiterCount == 1, "the first is under way")
        work.end(first)
        await yielding.value
        #expect(work.waiterCount == 0 && work.count == 1, "what began later is still under way")
        work.end(later)
        await work.yield()
        #expect(work.count == 0)
    }

    @Test func `calls end in any order, and the first and last that have not are known`() {
        var random = SeededGenerator.forTest(fallback: 7)
        var (calls, model) = (CallsUnderWay(), [UInt64]())
        for number in 1...2000 as ClosedRange<UInt64> {
            if random.oneIn(2) {
                calls.append(number * 3)
                model.append(number * 3)
            } else if let ended = random.pick(model) {
                calls.remove(ended)
                model.removeAll { $0 == ended }
                calls.remove(ended)
                calls.remove(ended + 1)
            }
            #expect(calls.count == model.count && calls.first == model.first && calls.last == model.last)
        }
    }

    @Test func `the library's own work holds nobody up`() async throws {
        let work = UserCalls()
        UserCalls.$isOwn.withValue(true) { #expect(work.begin() == nil) }
        let store = try RecordLibrary.inMemory()
        let counts = try await store.write { _ in store.launch.userCalls.count }
        #expect(counts == 1)
        let own = try await UserCalls.$isOwn.withValue(true) {
            try await store.write { _ in store.launch.userCalls.count }
        }
        #expect(own == 0 && store.launch.userCalls.count == 0)
        #expect(await store.read { _ in store.launch.userCalls.count } == 1)
        try await store.close()
    }

    @Test func `who is cancelled waits no longer, and a thread waits no longer than it may`() async {
        let work = UserCalls()
        let busy = work.begin()
        let task = Task { await work.yield() }
        while work.waiterCount == 0 { await pause() }
        task.cancel()
        await task.value
        work.pause(atMost: .microseconds(1))
        #expect(work.waiterCount == 0 && work.count == 1)
        work.end(busy)
        work.pause(atMost: .seconds(36_000))
    }
}

import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// The app comes to the front: as a sequence.
struct ActivationsTests {
    @Test func `each activation is given to every loop, and closing ends them`() async throws {
        let launch = Launch(file: nil)
        var (one, other) = (launch.activations.makeAsyncIterator(), launch.activations.makeAsyncIterator())
        launch.becameActive()
        let (first, second) = (await one.next(), await other.next())
        #expect(first != nil && first == second)
        launch.resignedActive()
        launch.becameActive()
        launch.becameActive()
        #expect(await one.next() != nil)
        await launch.close()
        #expect(await one.next() == nil)
        // Of what it has missed it gets the newest.
        #expect(await other.next() != nil)
        #expect(await other.next() == nil)
        var late = launch.activations.makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test func `a loop that is cancelled ends, and is forgotten`() async {
        let broadcast = ActivationBroadcast()
        let activations = broadcast.subscribe()
        let task = Task { for await _ in activations {} }
        task.cancel()
        await task.value
        while broadcast.subscriberCount > 0 { await pause() }
    }
}

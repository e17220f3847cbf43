import Dispatch
import StorageEngine
import Synchronization
import TestSupport
import Testing

@testable import RecordStore

/// Time as `ProcessInfo.performExpiringActivity` grants it, played by a script: the one call to the system is all that is missing.
struct ExpiringActivitiesTests {
    /// Calls blocks as the system does, on threads of its own.
    private final class System: Sendable {
        private struct State {
            var isRefusing = false
            var running: [Int: @Sendable (Bool) -> Void] = [:]
            var askedCount = 0
        }

        private let state = Mutex(State())

        var askedCount: Int { state.withLock { $0.askedCount } }
        var isAtRest: Bool { state.withLock { $0.running.isEmpty } }

        func refuse(_ isRefusing: Bool) { state.withLock { $0.isRefusing = isRefusing } }

        func perform(_ block: @escaping @Sendable (Bool) -> Void) {
            let (number, isRefused) = state.withLock { state in
                state.askedCount += 1
                if !state.isRefusing { state.running[state.askedCount] = block }
                return (state.askedCount, state.isRefusing)
            }
            DispatchQueue.global().async {
                block(isRefused)
                self.state.withLock { _ = $0.running.removeValue(forKey: number) }
            }
        }

        /// Calls what runs a second time.
        func expire() {
            let running = state.withLock { state in
                state.isRefusing = true
                return Array(state.running.values)
            }
            for block in running { block(true) }
        }
    }

    private let system = System()
    private var activities: ExpiringActivities { ExpiringActivities { [system] in system.perform($0) } }

    private func rest() async { while !system.isAtRest { await pause() } }

    @Test func `an activity that is granted lasts until its end`() async {
        let expired = Mutex(0)
        let activity = activities.begin { expired.withLock { $0 += 1 } }
        #expect(activity != nil && !system.isAtRest)
        activity?.end()
        await rest()
        #expect(expired.withLock { $0 } == 0)
    }

    @Test func `an activity that is refused is none`() {
        system.refuse(true)
        #expect(activities.begin {} == nil)
    }

    @Test func `one whose time is over is told once, and what is over is told of nothing`() async {
        let expired = Mutex(0)
        let activity = activities.begin { expired.withLock { $0 += 1 } }
        system.expire()
        system.expire()
        #expect(expired.withLock { $0 } == 1)
        activity?.end()
        await rest()
        system.expire()
        #expect(expired.withLock { $0 } == 1)
    }

    @Test func `a shared library is written to in time that was granted, and says when there is none`() async throws {
        var settings = LibrarySettings.patient(.shared, MemoryFileSystem())
        settings.lockActivities = activities
        let library = RecordLibrary(try RecordLibrary.open("A.bookdb", settings))
        try await library.write { _ = try $0.insert(LedgerAccount(name: "Savings")) }
        await rest()
        let askedCount = system.askedCount
        #expect(askedCount >= 2)
        system.refuse(true)
        await #expect(throws: LibraryError.suspended(path: "A.bookdb")) {
            try await library.write { _ = try $0.insert(LedgerAccount(name: "Lost")) }
        }
        #expect(try library.snapshot.records(LedgerAccount.self).count == 1)
        system.refuse(false)
        try await library.write { _ = try $0.insert(LedgerAccount(name: "Cash")) }
        #expect(try library.snapshot.records(LedgerAccount.self).count == 2)
        try await library.close()
        await rest()
    }

    @Test func `a library that nobody shares asks for no time`() async throws {
        var settings = LibrarySettings(.exclusive, fileSystem: MemoryFileSystem())
        settings.lockActivities = activities
        let library = RecordLibrary(try RecordLibrary.open("A.bookdb", settings))
        try await library.write { _ = try $0.insert(LedgerAccount(name: "Savings")) }
        try await library.close()
        #expect(system.askedCount == 0)
    }
}

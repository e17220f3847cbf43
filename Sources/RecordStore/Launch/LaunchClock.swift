#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The time of day that a launch goes by, and its pauses. A test has its own.
protocol LaunchClock: Sendable {
    var date: Date { get }
    func sleep(for duration: Duration) async throws
}

struct SystemLaunchClock: LaunchClock {
    var date: Date { Date() }
    func sleep(for duration: Duration) async throws { try await Task.sleep(for: min(duration, LongestSleep.duration)) }
}

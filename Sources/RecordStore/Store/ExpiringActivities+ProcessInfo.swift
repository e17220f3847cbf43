#if canImport(Darwin)
    import Foundation
#endif

extension ExpiringActivities {
    /// What the system of this process grants; `nil` where nobody is suspended.
    package static var ofSystem: ExpiringActivities? {
        // A Mac suspends no process that holds a lock.
        #if canImport(Darwin) && !os(macOS)
            ExpiringActivities { block in
                ProcessInfo.processInfo.performExpiringActivity(
                    withReason: "Writing to a library that processes share", using: block)
            }
        #else
            nil
        #endif
    }
}

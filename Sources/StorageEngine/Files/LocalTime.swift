#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Local time as the machine is set to. `TimeZone.current` of FoundationEssentials is GMT in a program without the rest of Foundation.
package enum LocalTime {
    /// How many seconds local time is ahead of UTC at a moment, negative west of Greenwich; 0 for a moment that the system has no local time for.
    ///
    /// The zone is looked up again each time, since the machine's may be changed while the process runs: a system call or two.
    package static func secondsAheadOfUTC(atSecondsSince1970 seconds: Int64) -> Int {
        tzset()
        // Safe because both are this function's, and nothing of them is kept.
        var moment = time_t(seconds)
        var parts = unsafe tm()
        guard unsafe localtime_r(&moment, &parts) != nil else { return 0 }
        return unsafe parts.tm_gmtoff
    }
}

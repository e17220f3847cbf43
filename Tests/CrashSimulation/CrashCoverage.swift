import StorageEngine

/// What an exploration has met.
public struct CrashCoverage: Sendable {
    public var histories = 0
    public var boundaries = 0
    /// Crash states made, and how many of them differed from the others of their boundary: those were checked.
    public var states = 0
    public var distinctStates = 0
    /// States in which the process alone was killed.
    public var kills = 0
    /// Calls to the disk that were made to fail.
    public var failedCalls = 0
    /// Processes that died while others had the store open.
    public var deaths = 0
    /// States that recovery found without a store, with a torn tail, and with frames behind a gap.
    public var missingStores = 0
    public var tornTails = 0
    public var reorderedTails = 0
    /// States whose store had been compacted or rescued at least once.
    public var laterGenerations = 0

    /// Readers that looked while the writer went on, and verifications.
    public var readers = 0

    public init() {}

    mutating func note(_ opening: OpeningReport) {
        if opening.createdStore { missingStores += 1 }
        if opening.tornByteCount > 0 { tornTails += 1 }
        if opening.setAsideByteCount > 0 { reorderedTails += 1 }
        if opening.generation > 1 { laterGenerations += 1 }
    }

    public static func += (left: inout CrashCoverage, right: CrashCoverage) {
        for path in Self.paths { left[keyPath: path.count] += right[keyPath: path.count] }
    }

    private static var paths: [(count: WritableKeyPath<CrashCoverage, Int>, name: String)] {
        [
            (\.histories, "random histories"), (\.boundaries, "operation boundaries"), (\.states, "crash states"),
            (\.distinctStates, "of them distinct, recovered and checked"), (\.kills, "kills of the process alone"),
            (\.failedCalls, "disk calls made to fail"),
            (\.deaths, "deaths of one of two processes that share the store"),
            (\.missingStores, "recoveries that found no store yet"),
            (\.tornTails, "recoveries that cut a torn tail"),
            (\.reorderedTails, "recoveries that set frames behind a gap aside"),
            (\.laterGenerations, "recoveries of a compacted or rescued store"),
            (\.readers, "openings and verifications beside the writer"),
        ]
    }

    /// A line for each count.
    public var lines: [String] {
        Self.paths.map { path in
            let count = String(self[keyPath: path.count])
            return String(repeating: " ", count: max(0, 12 - count.count)) + count + "  " + path.name
        }
    }
}

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Random numbers that a seed repeats (SplitMix64). `BOOKDB_SEED=n swift test` replays a run that failed.
struct SeededGenerator: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// The seed from the environment, or `fallback`; printed, so that a failure can be replayed.
    static func forTest(_ name: String = #function, fallback: UInt64) -> SeededGenerator {
        let seed = getenv("BOOKDB_SEED").flatMap { UInt64(String(cString: $0)) } ?? fallback
        print("\(name): BOOKDB_SEED=\(seed)")
        return SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

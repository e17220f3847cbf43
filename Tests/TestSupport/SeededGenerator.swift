#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Random numbers that a seed repeats, the same on every platform (SplitMix64).
///
/// A random test takes its seed from `BOOKDB_SEED` when that is set, and prints it either way: a failure is replayed with
/// `BOOKDB_SEED=n swift test --filter …`.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True once in so many times.
    public mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    public mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &self) }

    /// The seed from the environment, else `fallback`, else a new one; printed.
    public static func seed(for test: String, fallback: UInt64? = nil) -> UInt64 {
        let seed =
            getenv("BOOKDB_SEED").flatMap { UInt64(String(cString: $0)) } ?? fallback
            ?? UInt64.random(in: 1..<1_000_000)
        print("\(test): BOOKDB_SEED=\(seed)")
        return seed
    }

    public static func forTest(_ name: String = #function, fallback: UInt64) -> SeededGenerator {
        SeededGenerator(seed: seed(for: name, fallback: fallback))
    }
}

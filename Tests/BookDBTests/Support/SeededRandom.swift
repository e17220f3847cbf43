#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The same numbers for the same seed on every platform: SplitMix64.
struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// True once in so many times.
    mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &self) }

    /// The seed in `BOOKDB_SEED` to replay a history, or a new one; printed either way.
    static func seed(for test: String) -> UInt64 {
        let seed =
            ProcessInfo.processInfo.environment["BOOKDB_SEED"].flatMap { UInt64($0) }
            ?? UInt64.random(in: 1..<1_000_000)
        print("\(test): BOOKDB_SEED=\(seed)")
        return seed
    }
}

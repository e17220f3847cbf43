/// Random numbers that are the same on every platform and with every version of the standard library (SplitMix64).
///
/// The standard library's own `random(in:using:)` may change how it uses a generator, so the few shapes of choice the
/// sample library needs are made here, with integers only.
struct SampleRandom {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// A generator for one of many numbered things, so that book 1 000 needs nothing of book 999.
    init(seed: UInt64, number: Int) {
        var mixed = SampleRandom(seed: seed)
        state = mixed.next() ^ (UInt64(number) &* 0xD134_2543_DE82_EF95)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number in `0..<count`, all equally likely. The bias of a 64-bit product is below 2⁻³² for any count here.
    mutating func below(_ count: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(count)).high)
    }

    /// A number in `0..<count`, small ones far more likely than large ones: as words are used, and authors read.
    mutating func skewed(_ count: Int) -> Int {
        let factors = UInt64(below(count)).multipliedFullWidth(by: UInt64(below(count)))
        return Int(UInt64(count).dividingFullWidth(factors).quotient)
    }

    mutating func percent(_ share: Int) -> Bool {
        below(100) < share
    }

    /// An index of `weights`, each as likely as its weight says.
    mutating func weighted(_ weights: [Int]) -> Int {
        var rest = below(weights.reduce(0, +))
        for (index, weight) in weights.enumerated() {
            if rest < weight { return index }
            rest -= weight
        }
        return weights.count - 1
    }

    mutating func element(_ elements: [String]) -> String {
        elements[below(elements.count)]
    }

    /// An element of a list that begins with its most common ones.
    mutating func commonElement(_ elements: [String]) -> String {
        elements[skewed(elements.count)]
    }
}

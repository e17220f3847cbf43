/// Keys met so far. Few are compared one by one: hashing them would cost more. Many are hashed, so that a record of thousands of tags
/// costs what it has, not its square.
package struct KeySet {
    private var few: [[UInt8]] = []
    private var many: Set<[UInt8]> = []

    private static let fewCount = 16

    package init(_ keys: some Sequence<[UInt8]> = []) {
        for key in keys { insert(key) }
    }

    func contains(_ key: [UInt8]) -> Bool { many.isEmpty ? few.contains(key) : many.contains(key) }

    /// Whether the key is new.
    @discardableResult
    package mutating func insert(_ key: [UInt8]) -> Bool {
        guard many.isEmpty else { return many.insert(key).inserted }
        guard !few.contains(key) else { return false }
        few.append(key)
        if few.count > Self.fewCount { many = Set(few) }
        return true
    }
}

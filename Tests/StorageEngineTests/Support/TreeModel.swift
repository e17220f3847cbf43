import StorageEngine
import TestSupport
import Testing

/// What a tree must equal: a plain sorted array.
struct TreeModel: Sendable {
    struct Item: Sendable, Equatable {
        var key: [UInt8]
        var value: [UInt8]
        var facets: UInt16
    }

    private(set) var items: [Item] = []
    /// One for each item. They are kept because making them again took most of a check's time.
    private var hashes: [UInt64] = []

    private func lowerBound(_ key: [UInt8]) -> Int {
        var low = 0
        var high = items.count
        while low < high {
            let middle = (low + high) / 2
            if items[middle].key.lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    mutating func put(_ item: Item) {
        let index = lowerBound(item.key)
        let hash = PlainHash.hash(item.key, seed: PlainHash.hash(item.value))
        if index < items.count, items[index].key == item.key {
            items[index] = item
            hashes[index] = hash
        } else {
            items.insert(item, at: index)
            hashes.insert(hash, at: index)
        }
    }

    mutating func remove(_ key: [UInt8]) -> Bool {
        let index = lowerBound(key)
        guard index < items.count, items[index].key == key else { return false }
        items.remove(at: index)
        hashes.remove(at: index)
        return true
    }

    /// Compares everything a reader can ask with what the model says.
    func check(_ version: Version, _ declared: TreeDeclaration, using generator: inout SeededGenerator) throws {
        let tree = declared.number
        try #require(try version.count(in: tree) == items.count)
        var scanned: [Item] = []
        try version.forEachEntry(in: tree, positions: 0..<items.count) { (entry) throws(StorageError) in
            let key = try entry.withKey { $0.copyBytes(0..<$0.byteCount) }
            let value = (try? entry.withValue { $0.copyBytes(0..<$0.byteCount) }) ?? []
            scanned.append(Item(key: key, value: value, facets: entry.facets.rawValue))
            return true
        }
        try #require(scanned == items)
        for facet in 0..<declared.facetCount {
            let members = items.filter { $0.facets >> UInt16(facet) & 1 == 1 }
            let count = try version.count(in: tree, facet: Facet(facet))
            try #require(count == members.count)
            guard !members.isEmpty else { continue }
            for position in [0, members.count / 2, members.count - 1] {
                let entry = try #require(try version.entry(at: position, in: tree, facet: Facet(facet)))
                try #require(try entry.withKey { $0.copyBytes(0..<$0.byteCount) } == members[position].key)
                let rank = try version.lowerBound(of: members[position].key, in: tree, facet: Facet(facet))
                try #require(rank == position)
            }
        }
        for _ in 0..<min(20, items.count) {
            let position = Int.random(in: 0..<items.count, using: &generator)
            let item = items[position]
            let value = try version.value(forKey: item.key, in: tree) { $0.copyBytes(0..<$0.byteCount) }
            try #require(value == item.value)
            try #require(try version.lowerBound(of: item.key, in: tree) == position)
            let prefix = Array(item.key.prefix(Int.random(in: 0...item.key.count, using: &generator)))
            var found: [[UInt8]] = []
            try version.scan(tree, prefix: prefix) { key, _ in
                found.append(key.copyBytes(0..<key.byteCount))
                return true
            }
            try #require(found == items.filter { $0.key.starts(with: prefix) }.map(\.key))
            var reversed: [[UInt8]] = []
            try version.scan(tree, prefix: prefix, after: item.key, descending: true) { key, _ in
                reversed.append(key.copyBytes(0..<key.byteCount))
                return reversed.count < 10
            }
            let expected = items[..<position].reversed().filter { $0.key.starts(with: prefix) }.prefix(10).map(\.key)
            try #require(reversed == expected)
            for after in [item.key, items.randomElement(using: &generator)!.key, item.key + [0]] {
                var following: [[UInt8]] = []
                try version.scan(tree, prefix: prefix, after: after) { key, _ in
                    following.append(key.copyBytes(0..<key.byteCount))
                    return following.count < 10
                }
                let expected = items.lazy.map(\.key).filter {
                    $0.starts(with: prefix) && after.lexicographicallyPrecedes($0)
                }
                try #require(following == Array(expected.prefix(10)))
            }
        }
        try #require(version.invariantFindings() == [])
        for _ in 0..<(declared.columns.count > 0 ? 10 : 0) { try checkColumns(version, declared, using: &generator) }
    }

    // MARK: Columns

    private func amount(_ amount: Int, of item: Item) -> Int64? {
        guard item.value.count >= 8 * (amount + 1) else { return nil }
        let bits = item.value[8 * amount..<8 * (amount + 1)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        return Int64(bitPattern: bits) == .min ? nil : Int64(bitPattern: bits)
    }

    /// What each column says of some stretch, and where running sums reach some limit, against plain loops.
    private func checkColumns(
        _ version: Version, _ declared: TreeDeclaration, using generator: inout SeededGenerator
    ) throws {
        let tree = declared.number
        let isWhole = Int.random(in: 0..<4, using: &generator) == 0
        let start = Int.random(in: 0...items.count, using: &generator)
        let positions = isWhole ? nil : start..<Int.random(in: start...items.count + 3, using: &generator)
        let stretch = (positions ?? 0..<items.count).clamped(to: 0..<items.count)
        for index in 0..<declared.columns.count {
            switch declared.columns[index] {
            case .fingerprint:
                let hashes = items[stretch].map { item in
                    UInt128(Self.hash(item.key.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }))
                }
                try #require(try version.fingerprint(of: tree, positions: positions) == hashes.reduce(0, +))
            case .hashSum:
                let sum = hashes[stretch].reduce(UInt128(0)) { $0 + UInt128($1) }
                try #require(try version.hashSum(of: tree, positions: positions) == sum)
            case .sum(let amount):
                let sum = items[stretch].reduce(Int128(0)) { $0 + Int128(self.amount(amount, of: $1) ?? 0) }
                try #require(try version.sum(ofAmount: amount, in: tree, positions: positions) == sum)
            case .bounds(let amount):
                let amounts = items[stretch].compactMap { self.amount(amount, of: $0) }
                let bounds = amounts.min().flatMap { least in amounts.max().map { least...$0 } }
                try #require(try version.bounds(ofAmount: amount, in: tree, positions: positions) == bounds)
            case .highest(let amount):
                let sums = runningSums(of: amount, stretch)
                let limit = (sums.randomElement(using: &generator) ?? 0) + Int128.random(in: -1...1, using: &generator)
                try #require(
                    try version.position(in: tree, whereSumOfAmount: amount, isAtLeast: limit, positions: positions)
                        == sums.firstIndex { $0 >= limit }.map { stretch.lowerBound + $0 })
            case .lowest(let amount):
                let sums = runningSums(of: amount, stretch)
                let limit = (sums.randomElement(using: &generator) ?? 0) + Int128.random(in: -1...1, using: &generator)
                try #require(
                    try version.position(in: tree, whereSumOfAmount: amount, isAtMost: limit, positions: positions)
                        == sums.firstIndex { $0 <= limit }.map { stretch.lowerBound + $0 })
            }
        }
    }

    private func runningSums(of amount: Int, _ stretch: Range<Int>) -> [Int128] {
        var sum: Int128 = 0
        return items[stretch].map { item in
            sum += Int128(self.amount(amount, of: item) ?? 0)
            return sum
        }
    }

    /// As `Formats/SNAPSHOT.md` says.
    private static func hash(_ identifier: UInt64) -> UInt64 {
        var z = identifier &+ 0x9e37_79b9_7f4a_7c15
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

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
        if index < items.count, items[index].key == item.key {
            items[index] = item
        } else {
            items.insert(item, at: index)
        }
    }

    mutating func remove(_ key: [UInt8]) -> Bool {
        let index = lowerBound(key)
        guard index < items.count, items[index].key == key else { return false }
        items.remove(at: index)
        return true
    }

    /// Compares everything a reader can ask with what the model says.
    func check(_ version: Version, _ tree: TreeNumber, facetCount: Int, using generator: inout SeededGenerator) throws {
        try #require(try version.count(in: tree) == items.count)
        var scanned: [Item] = []
        try version.forEachEntry(in: tree, positions: 0..<items.count) { entry in
            let key = entry.withKey { $0.copyBytes(0..<$0.byteCount) }
            let value = (try? entry.withValue { $0.copyBytes(0..<$0.byteCount) }) ?? []
            scanned.append(Item(key: key, value: value, facets: entry.facets.rawValue))
            return true
        }
        try #require(scanned == items)
        for facet in 0..<facetCount {
            let members = items.filter { $0.facets >> UInt16(facet) & 1 == 1 }
            let count = try version.count(in: tree, facet: Facet(facet))
            try #require(count == members.count)
            guard !members.isEmpty else { continue }
            for position in [0, members.count / 2, members.count - 1] {
                let entry = try #require(try version.entry(at: position, in: tree, facet: Facet(facet)))
                try #require(entry.withKey { $0.copyBytes(0..<$0.byteCount) } == members[position].key)
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
        }
        try #require(version.invariantFindings() == [])
    }
}

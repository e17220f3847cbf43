import StorageEngine
import TestSupport

/// The small store that crash histories play with: a hot tree with facets, and a cold one.
enum SimulatedStore {
    static let path = "Store"
    static let hot = TreeNumber(1)
    static let cold = TreeNumber(2)
    static let trees = [
        TreeDeclaration(hot, "hot", facetCount: 2), TreeDeclaration(cold, "cold", placement: .cold),
    ]

    static func open(_ fileSystem: any FileSystem) throws -> Database {
        var options = Options(compaction: .manual, storeIdentifier: Array("crash simulation".utf8))
        // So few keys make trees of several levels this way.
        options.nodeEntryLimit = 4
        options.companion = Companion(of: TreeNumber(1)) { (version, output) throws(StorageError) in
            try output.append([UInt8(truncatingIfNeeded: version.commitNumber)])
            return true
        }
        return try Database.open(at: path, trees: trees, options: options, fileSystem: fileSystem)
    }

    static func contents(of version: Version) throws -> Promise.Contents {
        var contents: Promise.Contents = [:]
        for tree in trees {
            try version.scan(tree.number) { key, value in
                contents[name(tree.number, key.copyBytes(0..<key.byteCount))] = value.copyBytes(0..<value.byteCount)
                return true
            }
        }
        return contents
    }

    private static func name(_ tree: TreeNumber, _ key: [UInt8]) -> String { "\(tree.rawValue) \(key)" }

    struct Change: Sendable {
        let tree: TreeNumber
        let key: UInt8
        /// `nil` removes.
        let value: [UInt8]?

        var facets: FacetSet { tree == cold ? [] : FacetSet(Facet(Int(key) % 2)) }

        /// Entries to load, each key once: a few, which become a transaction, or more than the store holds.
        static func load(using random: inout SeededGenerator) -> [Change] {
            let isLarge = Bool.random(using: &random)
            return Set((0..<4).map { _ in UInt8.random(in: 0..<24, using: &random) }).sorted().map { key in
                Change(
                    tree: Bool.random(using: &random) ? cold : hot, key: key,
                    value: Array(repeating: key, count: isLarge ? 4_000 : 5))
            }
        }

        static func some(using random: inout SeededGenerator) -> [Change] {
            (0..<Int.random(in: 1...4, using: &random)).map { _ in
                let isCold = Bool.random(using: &random)
                let count = Int.random(in: 0...(isCold ? 300 : 20), using: &random)
                let isRemoval = Int.random(in: 0..<4, using: &random) == 0
                let value = (0..<count).map { _ in UInt8.random(in: 0...7, using: &random) }
                return Change(
                    tree: isCold ? cold : hot, key: .random(in: 0..<24, using: &random), value: isRemoval ? nil : value)
            }
        }
    }

    static func apply(_ change: Change, in collector: EntryCollector) throws {
        try collector.put(
            change.value ?? [], forKey: [change.key], facets: change.facets, in: change.tree)
    }

    static func apply(_ changes: [Change], in transaction: inout Transaction) throws {
        for change in changes {
            if let value = change.value {
                try transaction.put(value, forKey: [change.key], facets: change.facets, in: change.tree)
            } else {
                try transaction.remove([change.key], in: change.tree)
            }
        }
    }

    /// The same on a dictionary, and whether it makes a commit: removals of what is not there make none.
    static func applying(_ changes: [Change], to contents: Promise.Contents) -> (Promise.Contents, isCommit: Bool) {
        var result = contents
        var isCommit = false
        for change in changes {
            let name = name(change.tree, [change.key])
            if let value = change.value {
                result[name] = value
                isCommit = true
            } else if result.removeValue(forKey: name) != nil {
                isCommit = true
            }
        }
        return (result, isCommit)
    }
}

import StorageEngine
import TestSupport

/// The small store that crash histories play with: a hot tree with facets, and a cold one.
package enum SimulatedStore {
    package static let path = "Store"
    package static let hot = TreeNumber(1)
    package static let cold = TreeNumber(2)
    static let trees = [
        TreeDeclaration(hot, "hot", facetCount: 2), TreeDeclaration(cold, "cold", placement: .cold),
    ]

    package static func open(
        _ fileSystem: any FileSystem, access: Access = .exclusive, work: (any BackgroundWork)? = nil,
        onPublish: @escaping @Sendable (PublishedCommit) -> Void = { _ in }
    ) throws -> Database {
        var options = Options(
            access: access, compaction: .manual, storeIdentifier: Array("crash simulation".utf8))
        // A machine with more to do than it can is no finding.
        options.lockLimit = .seconds(36_000)
        // So few keys make trees of several levels this way.
        options.nodeEntryLimit = 4
        options.companion = Companion(of: TreeNumber(1)) { (version, output) throws(StorageError) in
            try output.append([UInt8(truncatingIfNeeded: version.commitNumber)])
            return true
        }
        if let work { options.work = work }
        return try Database.open(at: path, trees: trees, options: options, fileSystem: fileSystem, onPublish: onPublish)
    }

    static func openToRead(_ fileSystem: any FileSystem) throws(StorageError) -> Database {
        try Database.open(at: path, trees: trees, options: Options(access: .readOnly), fileSystem: fileSystem)
    }

    package static func contents(of version: Version) throws(StorageError) -> Promise.Contents {
        var contents: Promise.Contents = [:]
        for tree in trees {
            try version.scan(tree.number) { key, value in
                contents[name(tree.number, key.copyBytes(0..<key.byteCount))] = value.copyBytes(0..<value.byteCount)
                return true
            }
        }
        return contents
    }

    package static func name(_ change: Change) -> String { name(change.tree, [change.key]) }

    private static func name(_ tree: TreeNumber, _ key: [UInt8]) -> String { "\(tree.rawValue) \(key)" }

    package struct Change: Sendable {
        package let tree: TreeNumber
        package let key: UInt8
        /// `nil` removes.
        package let value: [UInt8]?

        package init(tree: TreeNumber, key: UInt8, value: [UInt8]?) {
            self.tree = tree
            self.key = key
            self.value = value
        }

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

    /// The contents without those of a tree.
    static func without(_ tree: TreeNumber, _ contents: Promise.Contents) -> Promise.Contents {
        contents.filter { !$0.key.hasPrefix(name(tree, []).dropLast(2)) }
    }

    package static func apply(_ change: Change, in collector: EntryCollector) throws {
        try collector.put(
            change.value ?? [], forKey: [change.key], facets: change.facets, in: change.tree)
    }

    package static func apply(_ changes: [Change], in transaction: inout Transaction) throws {
        for change in changes {
            if let value = change.value {
                try transaction.put(value, forKey: [change.key], facets: change.facets, in: change.tree)
            } else {
                try transaction.remove([change.key], in: change.tree)
            }
        }
    }

    /// The same on a dictionary, and whether it makes a commit: removals of what is not there make none.
    package static func applying(_ changes: [Change], to contents: Promise.Contents) -> (
        Promise.Contents, isCommit: Bool
    ) {
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

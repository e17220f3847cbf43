import StorageEngine

/// Records of the app are saved as they are: what they mean is the app's to know. Their indexes are left behind, and made anew when
/// the app next writes.
extension LibraryRepair {
    mutating func noteAppRecords() throws(BookError) {
        for kind in database.version.declarations.kinds {
            var records = RecordIterator(database.version, kind.number)
            while let (key, _) = try records.nextEntry() {
                if key.count == 8 { identifiers.note(ID<AppRecord>(rawValue: key.number(at: 0))) }
            }
        }
    }

    /// The trees of kinds that were met in the snapshot and in the log, by the names that were met with them or that records and their
    /// indexes go by.
    static func kindTrees(in salvage: Salvage) throws(StorageError) -> [TreeDeclaration] {
        let report = salvage.report
        let trees = report.trees.map(\.declaration) + report.declaredTrees
        let numbers = Set(trees.map(\.number)).union(report.changedTrees).filter { $0 >= LibraryTree.firstKind }
        guard !numbers.isEmpty else { return [] }
        var names: [TreeNumber: String] = [:]
        for name in try trees.map(\.name) + kindNames(in: salvage) { names[KindTree.number(of: name)] = name }
        return numbers.sorted().map { KindTree.declaration($0, names[$0] ?? KindTree.nameless($0)) }
    }

    /// What the keys of orders, indexes and links begin with.
    private static func kindNames(in salvage: Salvage) throws(StorageError) -> Set<String> {
        var names: Set<String> = []
        func note(_ key: [UInt8], _ tree: TreeNumber) {
            let link = tree == LibraryTree.appLinks ? LinkTarget.parse(key) : nil
            if case .records(let kind)? = link?.target { names.insert(kind) }
            names.insert(
                String(decoding: key.dropFirst(link?.end ?? 0).prefix { $0 != LibraryKey.separator }, as: UTF8.self))
        }
        let trees = [LibraryTree.appOrders, LibraryTree.appIndexes, LibraryTree.appLinks]
        for tree in trees {
            var entries = salvage.entries(in: tree)
            while let entry = try entries.next() { note(entry.key, tree) }
        }
        var commits = salvage.commits()
        while let commit = try commits.nextCommit() {
            try commit.forEachOperation(in: Set(trees)) { (operation) throws(StorageError) in
                if case .put(let tree, let key, _, _) = operation { note(key, tree) }
            }
        }
        return names
    }
}

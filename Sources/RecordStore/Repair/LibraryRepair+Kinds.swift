import StorageEngine

/// Records of the app are saved as they are: what they mean is the app's to know.
extension LibraryRepair {
    func noteDeclaredRecords() throws(LibraryError) {
        for kind in database.version.declarations.kinds {
            var records = RecordIterator(database.version, kind.number)
            while let (key, _) = try records.nextEntry() {
                if key.count == 8 { state.identifiers.note(ID<AppRecord>(rawValue: key.number(at: 0))) }
            }
        }
    }

    /// The trees of kinds that were met in the snapshot and in the log, by the names that were met with them or that records and their
    /// indexes go by.
    static func kindTrees(in salvage: Salvage) throws(StorageError) -> [TreeDeclaration] {
        let report = salvage.report
        let trees = (report.trees.map(\.declaration) + report.declaredTrees).filter {
            $0.number >= LibraryTree.firstKind
        }
        var names: [TreeNumber: String] = [:]
        for tree in trees where KindTree.number(of: tree.name) == tree.number { names[tree.number] = tree.name }
        let known = Set(trees.map(\.number))
        let others = report.changedTrees.filter { $0 >= LibraryTree.firstKind && !known.contains($0) }
        // A log with numbers of trees that never were would leave no room for those that are.
        let numbers = known.sorted() + others.sorted().prefix(max(0, maximumKindCount - known.count))
        if numbers.contains(where: { names[$0] == nil }) {
            for name in try kindNames(in: salvage).sorted() where names[KindTree.number(of: name)] == nil {
                names[KindTree.number(of: name)] = name
            }
        }
        return numbers.map { KindTree.declaration($0, names[$0] ?? KindTree.nameless($0)) }
    }

    private static let maximumKindCount = 2048

    /// Whether an entry is what its tree holds. What a library says of a kind's fields and links, and nobody can read, would keep the whole
    /// from being sound; its app says it again.
    static func isReadable(
        _ key: [UInt8], _ value: [UInt8], in tree: TreeNumber, _ kinds: Set<TreeNumber>, _ builtIn: [BuiltInKind]
    ) -> Bool {
        switch tree {
        case LibraryTree.appFields: (try? KindFields(decoding: value)) != nil
        case LibraryTree.appLinks: (try? StoredLink(key, value, among: builtIn)) != nil
        default: !kinds.contains(tree) || isRecord(key, value)
        }
    }

    /// Whether an entry of a kind's tree is a record. Of one that is not nothing can be told but that it is lost.
    static func isRecord(_ key: [UInt8], _ value: [UInt8]) -> Bool {
        key.count == 8 && TaggedWalk.problem(in: value) == nil
    }

    /// What is saved and lost of each kind of the app's own records.
    func kindTallies() throws(LibraryError) -> [String: RepairReport.Tally] {
        var tallies: [String: RepairReport.Tally] = [:]
        for kind in database.version.declarations.kinds {
            let found = salvage.report.trees.first { $0.declaration.number == kind.number }
            var tally = RepairReport.Tally()
            tally.saved = try database.version.count(of: kind.number)
            let namedCount = evidence.lost[kind.name]?.count ?? 0
            let lostCount = (found?.lostEntryCount ?? 0) + (lostRecordCounts[kind.number] ?? 0)
            // An order that is whole has every record there was; of entries that are lost some may have been removed since.
            let isNamed = evidence.registered.contains(kind.name)
            tally.lost = isNamed ? namedCount : max(lostCount, namedCount)
            tally.unnamed = tally.lost - namedCount
            tally.mayLackMore = !isNamed && (found.map { !$0.isCounted } ?? false)
            tallies[kind.name] = tally
        }
        return tallies
    }

    /// What the keys of orders, links and fields begin with.
    private static func kindNames(in salvage: Salvage) throws(StorageError) -> Set<String> {
        var names: Set<String> = []
        func note(_ key: [UInt8], _ tree: TreeNumber) {
            let link = tree == LibraryTree.appLinks ? LinkTarget.parse(key, among: []) : nil
            if case .records(let kind)? = link?.target, AppRecordKey.nameByteCount.contains(kind.utf8.count) {
                names.insert(kind)
            }
            let bytes = key.dropFirst(link?.end ?? 0).prefix { $0 != LibraryKey.separator }
            guard AppRecordKey.nameByteCount.contains(bytes.count) else { return }
            if let name = String(validating: bytes, as: UTF8.self) { names.insert(name) }
        }
        let trees = [LibraryTree.appOrders, LibraryTree.appLinks, LibraryTree.appFields]
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

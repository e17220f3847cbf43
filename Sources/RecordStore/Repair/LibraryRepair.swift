import StorageEngine

/// Builds a library from what a salvage gives out: records first, as they are; then what is missing between them is found
/// and, where lists and indexes still tell enough, made anew; then everything that follows from records is made from them.
///
/// Goes through the records in batches. Memory grows with what is lost, not with what is saved.
struct LibraryRepair {
    let state: RepairState
    private let contents: LibraryContents
    private var others: (any ContentsRepair)?

    var salvage: Salvage { state.salvage }
    var database: Database { state.database }

    /// Damaged blocks of the cold region by their place, and how many values lay in each.
    private(set) var coldDamage: [Int: (damage: Damage, lostCount: Int)] = [:]

    /// Trees of records but for those of declared kinds.
    private let recordTrees: [TreeNumber]

    /// Trees of a newer version, of which the head or the log says what they are: copied as they are.
    static func otherTrees(in salvage: Salvage, beside contents: LibraryContents) -> [TreeDeclaration] {
        let report = salvage.report
        let stored = report.basis == .superblock ? report.trees.map(\.declaration) : []
        var known = Set(contents.allTrees.map(\.number))
        return (stored + report.declaredTrees).filter {
            $0.number < LibraryTree.firstOrder && known.insert($0.number).inserted
        }
    }

    /// Trees with entries that neither the contents have nor an order or a kind.
    static func foreignTrees(in report: SalvageReport, beside contents: LibraryContents) -> Set<TreeNumber> {
        let filled = report.trees.filter { $0.savedEntryCount + $0.lostEntryCount > 0 }.map(\.declaration.number)
        let foreign = report.changedTrees.union(filled).filter { $0 < LibraryTree.firstOrder }
        return foreign.subtracting(contents.allTrees.map(\.number))
    }

    /// Of the app's own: entries that are no records, and records whose bytes lie in a damaged block.
    private(set) var lostRecordCounts: [TreeNumber: Int] = [:]

    /// Of the app's own: keys that the log took away and did not put again, where some commits are lost. What orders still have of these is from before.
    private(set) var removedRecords: [TreeNumber: Set<[UInt8]>] = [:]

    /// Of the app's own: what tells which ones are gone.
    var evidence = RecordEvidence()

    /// Links by which records that were saved name what is not there.
    var brokenLinks: Set<StoredLink> = []

    /// The snapshot had what the library knows about itself, and of that nothing is left.
    private var isMetaLost = false

    private var kindTrees: [TreeNumber] { database.version.declarations.kinds.map(\.number) }

    private var copiedTrees: [TreeNumber] {
        recordTrees + kindTrees + Self.otherTrees(in: salvage, beside: contents).map(\.number)
    }

    init(_ salvage: Salvage, into database: Database, of contents: LibraryContents) {
        state = RepairState(salvage, into: database)
        self.contents = contents
        others = contents.repair?.init(state)
        recordTrees =
            (contents.repair?.recordTrees ?? []) + [
                LibraryTree.meta, LibraryTree.appLinks, LibraryTree.appFields, LibraryTree.appOrders,
            ]
        state.report.missingCommits = salvage.report.missingCommits
        state.report.lastCommit = salvage.report.lastCommit
        state.report.lostEnd = salvage.report.lostEnd.map { DamagedPlace(lostEnd: $0) }
    }

    mutating func run() async throws {
        try await copyRecords()
        try await replayCommits()
        try requireKnownFormat()
        try await others?.review()
        try noteDeclaredRecords()
        try await others?.mend()
        try findRecordEvidence()
        try await beginOrders()
        try await settleLinks()
        try await writeMeta()
        try await others?.derive()
        try settleReport()
    }

    // MARK: Copying

    private mutating func copyRecords() async throws {
        var batch = ChangeBatch(database)
        let (records, kinds) = (Set(recordTrees + kindTrees), Set(kindTrees))
        for tree in copiedTrees {
            var entries = salvage.entries(in: tree)
            while let entry = try entries.next() {
                guard let value = entry.value else {
                    noteLostValue(entry, in: tree)
                    continue
                }
                guard Self.isReadable(entry.key, value, in: tree, kinds, contents.builtInKinds) else {
                    lostRecordCounts[tree, default: 0] += 1
                    continue
                }
                let facets = records.contains(tree) ? contents.facets(ofRecord: entry.key, in: tree) : entry.facets
                try await batch.put(value, forKey: entry.key, facets: facets, in: tree)
            }
        }
        try await batch.finish()
    }

    /// A value outside its leaf, in a block that is damaged, or one whose symbols are lost: the page of those is among the report's places.
    private mutating func noteLostValue(_ entry: SalvagedEntry, in tree: TreeNumber) {
        if let damage = entry.damage, damage.page == nil {
            coldDamage[damage.byteOffset, default: (damage, 0)].lostCount += 1
        }
        if others?.noteLoss(of: entry.key, in: tree) != true { lostRecordCounts[tree, default: 0] += 1 }
    }

    private mutating func replayCommits() async throws {
        let (trees, contents) = (Set(copiedTrees), contents)
        let (records, kinds) = (Set(recordTrees + kindTrees), Set(kindTrees))
        let isReadable: @Sendable ([UInt8], [UInt8], TreeNumber) -> Bool = { [builtIn = contents.builtInKinds] in
            Self.isReadable($0, $1, in: $2, kinds, builtIn)
        }
        let followed = salvage.report.missingCommits.isEmpty ? [] : records
        var commits = salvage.commits()
        while let commit = try commits.nextCommit() {
            let (leftOut, replayed) = try await database.write(.memory) { transaction in
                var leftOut: [TreeNumber: Int] = [:]
                var replayed: [(tree: TreeNumber, key: [UInt8], isThere: Bool)] = []
                try commit.forEachOperation(in: trees) { (operation) throws(StorageError) in
                    switch operation {
                    case .put(let tree, let key, let facets, let value):
                        guard isReadable(key, value, tree) else {
                            leftOut[tree, default: 0] += 1
                            return
                        }
                        let facets = records.contains(tree) ? contents.facets(ofRecord: key, in: tree) : facets
                        try transaction.put(value, forKey: key, facets: facets, in: tree)
                        if followed.contains(tree) { replayed.append((tree, key, true)) }
                    case .remove(let tree, let key):
                        try transaction.remove(key, in: tree)
                        if followed.contains(tree) { replayed.append((tree, key, false)) }
                    case .removeAll(let tree): try transaction.removeAll(in: tree)
                    }
                }
                return (leftOut, replayed)
            }
            for (tree, key, isThere) in replayed { noteReplayed(key, in: tree, isThere: isThere) }
            lostRecordCounts.merge(leftOut, uniquingKeysWith: +)
        }
    }

    private mutating func noteReplayed(_ key: [UInt8], in tree: TreeNumber, isThere: Bool) {
        if tree < LibraryTree.firstKind {
            others?.noteReplayed(key, in: tree, isThere: isThere)
        } else if isThere {
            removedRecords[tree]?.remove(key)
        } else {
            removedRecords[tree, default: []].insert(key)
            // No other record is given the identifier of one that is gone.
            if key.count == 8 { state.identifiers.note(ID<AppRecord>(rawValue: key.number(at: 0))) }
        }
    }

    private func requireKnownFormat() throws {
        try translatingErrors { try LibraryMeta(database.version)?.require(forWriting: true, salvage.path) }
    }

    /// Trees of a newer version of which only their pages or their changes are left: nobody can tell how they are kept.
    private var lostTrees: [LostItem] {
        Self.foreignTrees(in: salvage.report, beside: contents).subtracting(copiedTrees).sorted().map {
            LostItem(
                .laterTree, "\($0.rawValue)", loss: "all of it: a later version keeps it, and what says how is lost")
        }
    }

    // MARK: Finishing

    /// Identifiers are never used again, also not those that lost commits gave out, and nobody knows how many these are. So the next one is of
    /// another device: that of before was drawn in another store.
    private mutating func writeMeta() async throws {
        let stored = try LibraryMeta(database.version)
        let salvaged = state.tree(LibraryTree.meta)
        isMetaLost =
            stored == nil && (salvaged.lostEntryCount > 0 || !salvaged.isCounted && salvaged.savedEntryCount == 0)
        let device =
            stored.flatMap { $0.hasPossibleDevice ? UInt32(exactly: $0.device) : nil }
            ?? state.identifiers.likeliestDevice
        var meta = stored ?? LibraryMeta(device: device)
        meta.device = UInt64(device)
        meta.format = LibraryMeta.currentFormat
        meta.noteDerived(by: contents.rules ?? 0)
        let highest = state.identifiers.highestCounter(ofDevice: device)
        meta.nextCounter = max(stored?.nextCounter ?? 1, highest + 1)
        var batch = ChangeBatch(database)
        for (name, value) in meta.changes(since: stored) {
            try await batch.put(value, forKey: name, in: LibraryTree.meta)
        }
        try await batch.finish()
    }

    private mutating func settleReport() throws {
        state.report.damage = salvage.report.places.map { DamagedPlace($0, of: contents) }
        for (_, block) in coldDamage.sorted(by: { $0.key < $1.key }) {
            state.report.damage.append(DamagedPlace(block.damage, lostValueCount: block.lostCount))
        }
        try others?.settle()
        state.report.items += lostRecords()
        if isMetaLost {
            state.report.items.append(
                LostItem(.library, "filing", loss: "how it files letters, if not as standard; see setFiling"))
        }
        state.report.items += lostTrees
        state.report.kinds = try kindTallies()
    }
}

extension LibraryContents {
    /// What an entry of a tree of records counts in, whatever an enemy's snapshot or log says.
    fileprivate func facets(ofRecord key: [UInt8], in tree: TreeNumber) -> FacetSet {
        repair?.facets(of: key, in: tree) ?? []
    }
}

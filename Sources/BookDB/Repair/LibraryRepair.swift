import StorageEngine

/// Builds a library from what a salvage gives out: records first, as they are; then what is missing between them is found
/// and, where lists and indexes still tell enough, made anew; then everything that follows from records is made from them.
///
/// Goes through the records in batches. Memory grows with what is lost, not with what is saved.
struct LibraryRepair {
    let salvage: Salvage
    let database: Database
    var report = RepairReport()
    var missingRecords = MissingRecords()
    var evidence = IndexEvidence()
    var identifiers = UsedIdentifiers()
    /// Damaged blocks of the cold region by their place, and how many values lay in each.
    private(set) var coldDamage: [Int: (damage: Damage, lostCount: Int)] = [:]

    static let recordTrees: [TreeNumber] = [
        LibraryTree.authors, LibraryTree.works, LibraryTree.editions, LibraryTree.entries, LibraryTree.texts,
        LibraryTree.meta, LibraryTree.appLinks,
    ]

    /// Trees of a newer version: copied as they are.
    static func otherTrees(in salvage: Salvage) -> [TreeDeclaration] {
        guard salvage.report.basis == .superblock else { return [] }
        let known = Set(LibraryTree.declarations.map(\.number))
        return salvage.report.trees.map(\.declaration).filter {
            !known.contains($0.number) && $0.number < LibraryTree.firstOrder
        }
    }

    /// Of the app's own: entries that are no records, and records whose bytes lie in a damaged block.
    private(set) var lostRecordCounts: [TreeNumber: Int] = [:]

    private var kindTrees: [TreeNumber] { database.version.declarations.kinds.map(\.number) }

    private var copiedTrees: [TreeNumber] {
        Self.recordTrees + kindTrees + Self.otherTrees(in: salvage).map(\.number)
    }

    init(_ salvage: Salvage, into database: Database) {
        self.salvage = salvage
        self.database = database
        report.missingCommits = salvage.report.missingCommits
        report.lastCommit = salvage.report.lastCommit
        report.lostEnd = salvage.report.lostEnd.map { DamagedPlace(lostEnd: $0) }
    }

    mutating func run() async throws {
        try await copyRecords()
        try await replayCommits()
        try requireKnownFormat()
        try await reviewRecords()
        try noteAppRecords()
        if mayLackRecords { try findEvidence() }
        try await mendWorks()
        try await mendAuthors()
        try await mendEntries()
        try await mendEditions()
        try await writeMeta()
        try await derive()
        try settleReport()
    }

    /// A whole library needs no look at what its lists say of records that are gone.
    private var mayLackRecords: Bool { !salvage.report.isWhole || !missingRecords.isEmpty }

    // MARK: Copying

    private mutating func copyRecords() async throws {
        var batch = ChangeBatch(database)
        let (records, kinds) = (Set(Self.recordTrees + kindTrees), Set(kindTrees))
        for tree in copiedTrees {
            var entries = salvage.entries(in: tree)
            while let entry = try entries.next() {
                guard let value = entry.value else {
                    noteLostValue(entry, in: tree)
                    continue
                }
                guard !kinds.contains(tree) || Self.isRecord(entry.key, value) else {
                    lostRecordCounts[tree, default: 0] += 1
                    continue
                }
                // Records count in no facet, whatever an enemy's snapshot says.
                try await batch.put(
                    value, forKey: entry.key, facets: records.contains(tree) ? [] : entry.facets, in: tree)
            }
        }
        try await batch.finish()
    }

    /// A value outside its leaf, in a block that is damaged.
    private mutating func noteLostValue(_ entry: SalvagedEntry, in tree: TreeNumber) {
        if let damage = entry.damage { coldDamage[damage.byteOffset, default: (damage, 0)].lostCount += 1 }
        guard let kind = LostItem.Kind.allCases.first(where: { $0.tree == tree }) else {
            lostRecordCounts[tree, default: 0] += 1
            return
        }
        missingRecords.noteLoss(of: entry.key, kind)
    }

    private mutating func replayCommits() async throws {
        let trees = Set(copiedTrees)
        let (records, kinds) = (Set(Self.recordTrees + kindTrees), Set(kindTrees))
        var commits = salvage.commits()
        while let commit = try commits.nextCommit() {
            let leftOut = try await database.write(.memory) { transaction in
                var leftOut: [TreeNumber: Int] = [:]
                try commit.forEachOperation(in: trees) { (operation) throws(StorageError) in
                    switch operation {
                    case .put(let tree, let key, let facets, let value):
                        guard !kinds.contains(tree) || Self.isRecord(key, value) else {
                            leftOut[tree, default: 0] += 1
                            return
                        }
                        // Records count in no facet, whatever an enemy's log says.
                        try transaction.put(
                            value, forKey: key, facets: records.contains(tree) ? [] : facets, in: tree)
                    case .remove(let tree, let key): try transaction.remove(key, in: tree)
                    case .removeAll(let tree): try transaction.removeAll(in: tree)
                    }
                }
                return leftOut
            }
            lostRecordCounts.merge(leftOut, uniquingKeysWith: +)
        }
    }

    private func requireKnownFormat() throws {
        guard let meta = try LibraryMeta(database.version), meta.format > LibraryMeta.currentFormat else { return }
        throw LibraryError.tooNew(
            path: salvage.path, found: UInt32(clamping: meta.format), supported: UInt32(LibraryMeta.currentFormat))
    }

    // MARK: Finishing

    /// Identifiers are never used again, also not those of records that are lost.
    private mutating func writeMeta() async throws {
        let stored = try LibraryMeta(database.version)
        let device = stored.map { UInt32(truncatingIfNeeded: $0.device) } ?? 0
        var meta =
            (1..<IDLayout.placeholderDevice).contains(device)
            ? stored ?? LibraryMeta(device: device) : LibraryMeta(device: identifiers.likeliestDevice)
        meta.format = LibraryMeta.currentFormat
        meta.noteDerived(by: LibraryMeta.filingRulesOfBooks)
        let highest = identifiers.highestCounter(ofDevice: UInt32(meta.device))
        meta.nextCounter = max(stored?.nextCounter ?? 1, highest + 1)
        if stored == nil || !report.missingCommits.isEmpty {
            // Commits that are lost gave out identifiers nobody has seen; no commit gives out so many.
            meta.nextCounter += Self.skippedCounters
        }
        var batch = ChangeBatch(database)
        for (name, value) in meta.changes(since: nil) {
            try await batch.put(value, forKey: name, in: LibraryTree.meta)
        }
        try await batch.finish()
    }

    private static let skippedCounters: UInt64 = 1 << 24

    private func derive() async throws {
        let version = database.version
        var derivation = Derivation(DerivedTree.allCases, filing: try LibraryMeta.filing(version))
        var batch = ChangeBatch(database)
        while let entries = try derivation.next(from: version) {
            for entry in entries {
                try await batch.put(entry.value, forKey: entry.key, facets: entry.facets, in: entry.tree)
            }
        }
        try await batch.finish()
    }

    private mutating func settleReport() throws(LibraryError) {
        let version = database.version
        report.damage = salvage.report.places.map(DamagedPlace.init)
        for (_, block) in coldDamage.sorted(by: { $0.key < $1.key }) {
            report.damage.append(DamagedPlace(block.damage, lostValueCount: block.lostCount))
        }
        report.items.sort { left, right in
            let kinds = LostItem.Kind.allCases
            let (first, second) = (kinds.firstIndex(of: left.kind) ?? 0, kinds.firstIndex(of: right.kind) ?? 0)
            // Counters of more digits are greater.
            return first == second
                ? (left.id.count, left.id) < (right.id.count, right.id) : first < second
        }
        for kind in LostItem.Kind.allCases {
            var tally = RepairReport.Tally()
            let items = report.items.filter { $0.kind == kind }
            tally.madeAnew = items.count { $0.isMadeAnew }
            (tally.unnamed, tally.mayLackMore) = unnamedCount(kind, named: items.count)
            tally.lost = items.count - tally.madeAnew + tally.unnamed
            tally.saved = try version.count(of: kind.tree) - tally.madeAnew
            report.tallies[kind] = tally
        }
        report.kinds = try kindTallies()
    }

    /// Entries of the snapshot that are lost and that nothing names; and whether there may be more of them.
    private func unnamedCount(_ kind: LostItem.Kind, named: Int) -> (count: Int, mayBeMore: Bool) {
        let records = tree(kind.tree)
        let unnamed = max(0, records.lostEntryCount - named)
        if records.isCounted {
            // Any register that is whole names every record there was.
            let isNamed = kind.registers.contains { tree($0).lostEntryCount == 0 }
            return (isNamed ? 0 : unnamed, false)
        }
        // Two trees that lost as many entries without a trace would have to have lost those of the same records.
        let witness: LostItem.Kind = kind.registers.isEmpty ? .work : kind
        let isConfirmed = witness.registers.contains {
            tree($0).savedEntryCount == tree(witness.tree).savedEntryCount
        }
        return (unnamed, !isConfirmed || records.lostEntryCount > 0)
    }

    private func tree(_ number: TreeNumber) -> SalvageReport.Tree {
        let found = salvage.report.trees.first { $0.declaration.number == number }
        // Without a head a tree of which no page is left looks like one that was empty.
        return found
            ?? SalvageReport.Tree(
                declaration: TreeDeclaration(number, "\(number.rawValue)"), savedEntryCount: 0, lostEntryCount: 0,
                isCounted: salvage.report.basis != .seals)
    }
}

extension LostItem.Kind {
    var tree: TreeNumber {
        switch self {
        case .work: LibraryTree.works
        case .edition: LibraryTree.editions
        case .author: LibraryTree.authors
        case .entry: LibraryTree.entries
        case .text: LibraryTree.texts
        }
    }

    /// Trees with an entry for each record.
    fileprivate var registers: [TreeNumber] {
        switch self {
        case .work: WorkOrder.allCases.map(\.tree)
        case .edition: [LibraryTree.editionHomes]
        case .author: [LibraryTree.authorNames]
        case .entry, .text: []
        }
    }
}

import RecordStore
import StorageEngine

/// Saves books from a damaged library.
struct BookRepair: ContentsRepair {
    private let state: RepairState
    var missingRecords = MissingRecords()
    var evidence = IndexEvidence()

    /// Of editions that commits of the log wrote, where some commits are lost: the work that each had last, or none.
    private(set) var latestHomes: [ID<Edition>: ID<Work>?] = [:]

    private(set) var removed = RemovedRecords()

    package static let recordTrees: [TreeNumber] = [
        LibraryTree.authors, LibraryTree.books, LibraryTree.texts,
    ]

    package static func facets(of key: [UInt8], in tree: TreeNumber) -> FacetSet {
        tree == LibraryTree.books ? BookKey(key)?.kind.facets ?? [] : []
    }

    package mutating func noteReplayed(_ key: [UInt8], in tree: TreeNumber, isThere: Bool) {
        removed.note(key, in: tree, isThere: isThere)
        guard tree == LibraryTree.books, let key = BookKey(key), let edition = key.edition else { return }
        if isThere {
            latestHomes.updateValue(key.work, forKey: edition)
        } else if latestHomes[edition].map({ $0 == key.work }) ?? true {
            latestHomes.updateValue(nil, forKey: edition)
        }
    }

    /// As reports list them.
    package static let kinds: [LostItem.Kind] = [.work, .edition, .author, .entry, .text]

    package init(_ state: RepairState) { self.state = state }

    var salvage: Salvage { state.salvage }
    var database: Database { state.database }

    var report: RepairReport {
        get { state.report }
        nonmutating _modify { yield &state.report }
    }

    var identifiers: UsedIdentifiers {
        get { state.identifiers }
        nonmutating _modify { yield &state.identifiers }
    }

    package mutating func noteLoss(of key: [UInt8], in tree: TreeNumber) -> Bool {
        guard let kind = Self.kinds.first(where: { $0.tree == tree && $0.mayHave(key) }) else { return false }
        missingRecords.noteLoss(of: key, kind)
        return true
    }

    package mutating func mend() async throws {
        if mayLackRecords { try findEvidence() }
        try await mendWorks()
        try await mendAuthors()
        try await mendEntries()
        try await mendEditions()
        try await mendHomes()
        // Whoever links to an edition is asked whether it is there before the rest is made.
        try await derive([.editionHomes])
    }

    /// A whole library needs no look at what its lists say of records that are gone.
    private var mayLackRecords: Bool { !salvage.report.isWhole || !missingRecords.isEmpty }

    package func derive() async throws { try await derive(DerivedTree.ofBooks.filter { $0 != .editionHomes }) }

    private func derive(_ trees: [DerivedTree]) async throws {
        let version = database.version
        var derivation = Derivation(trees, filing: try LibraryMeta.filing(version))
        var batch = ChangeBatch(database)
        while let entries = try derivation.next(from: version) {
            for entry in entries {
                try await batch.put(entry.value, forKey: entry.key, facets: entry.facets, in: entry.tree)
            }
        }
        try await batch.finish()
    }

    package func settle() throws {
        let version = database.version
        let counts = mayLackRecords ? try snapshotCounts() : [:]
        report.items.sort { left, right in
            let (first, second) = (
                Self.kinds.firstIndex(of: left.kind) ?? 0, Self.kinds.firstIndex(of: right.kind) ?? 0
            )
            // Counters of more digits are greater.
            return first == second
                ? (left.id.count, left.id) < (right.id.count, right.id) : first < second
        }
        for kind in Self.kinds {
            var tally = RepairReport.Tally()
            let items = report.items.filter { $0.kind == kind }
            tally.madeAnew = items.count { $0.isMadeAnew }
            (tally.unnamed, tally.mayLackMore) = unnamedCount(kind, named: items.count, counts)
            tally.lost = items.count - tally.madeAnew + tally.unnamed
            tally.saved = try version.count(of: kind.tree, facet: kind.facet) - tally.madeAnew
            report.tallies[kind] = tally
        }
    }

    /// Records of the snapshot that are lost and that nothing names; and whether there may be more of them.
    private func unnamedCount(
        _ kind: LostItem.Kind, named: Int, _ counts: [LostItem.Kind: SnapshotCount]
    ) -> (count: Int, mayBeMore: Bool) {
        let records = state.tree(kind.tree)
        let unnamed = max(0, (counts[kind]?.lost ?? 0) - named)
        if records.isCounted {
            // Any register that is whole names every record there was.
            let isNamed = kind.registers.contains { state.tree($0).lostEntryCount == 0 }
            return (isNamed ? 0 : unnamed, false)
        }
        // Two trees that lost as many entries without a trace would have to have lost those of the same records.
        let witness: LostItem.Kind = kind.registers.isEmpty ? .work : kind
        let isConfirmed = witness.registers.contains { state.tree($0).savedEntryCount == counts[witness]?.saved }
        return (unnamed, !isConfirmed || records.lostEntryCount > 0)
    }

    /// Records of a kind in the snapshot.
    private struct SnapshotCount {
        var saved = 0
        var lost = 0
    }

    /// How many records of each kind the snapshot had. How many works and editions the tree of books lost is told by the trees that have
    /// one entry for each of them; what it lost besides are entries.
    private func snapshotCounts() throws -> [LostItem.Kind: SnapshotCount] {
        var counts: [LostItem.Kind: SnapshotCount] = [:]
        for kind in [LostItem.Kind.author, .text] {
            let tree = state.tree(kind.tree)
            counts[kind] = SnapshotCount(saved: tree.savedEntryCount, lost: tree.lostEntryCount)
        }
        var entries = salvage.entries(in: LibraryTree.books)
        while let entry = try entries.next() {
            // Keys that name nothing are in no register.
            guard BookKey(entry.key) != nil else { continue }
            for kind in Self.kinds where kind.tree == LibraryTree.books && kind.mayHave(entry.key) {
                counts[kind, default: SnapshotCount()].saved += 1
            }
        }
        var rest = state.tree(LibraryTree.books).lostEntryCount
        for kind in [LostItem.Kind.work, .edition] {
            let known = kind.registers.map { state.tree($0).savedEntryCount + state.tree($0).lostEntryCount }.max() ?? 0
            let lost = min(rest, max(0, known - (counts[kind]?.saved ?? 0)))
            counts[kind, default: SnapshotCount()].lost = lost
            rest -= lost
        }
        counts[.entry, default: SnapshotCount()].lost = rest
        return counts
    }
}

extension ChangeBatch {
    mutating func put(_ record: [UInt8], forKey key: BookKey) async throws {
        try await put(record, forKey: key.bytes, facets: key.kind.facets, in: LibraryTree.books)
    }
}

extension LostItem.Kind {
    /// The tree of the records; nothing for kinds of others.
    var tree: TreeNumber {
        switch self {
        case .work, .edition, .entry: LibraryTree.books
        case .author: LibraryTree.authors
        default: LibraryTree.texts
        }
    }

    /// Whether a key of the tree is one of the kind's records, or of none, which is for works to tell.
    func mayHave(_ key: [UInt8]) -> Bool {
        guard tree == LibraryTree.books else { return true }
        return switch BookKey(key)?.kind {
        case .work, nil: self == .work
        case .entry: self == .entry
        case .edition: self == .edition
        }
    }

    /// What counts its records, where the tree has others, too.
    fileprivate var facet: Facet? {
        switch self {
        case .work: BookKey.Kind.workFacet
        case .entry: BookKey.Kind.entryFacet
        case .edition: BookKey.Kind.editionFacet
        default: nil
        }
    }

    /// Trees with an entry for each record.
    fileprivate var registers: [TreeNumber] {
        switch self {
        case .work: WorkOrder.allCases.map(\.tree)
        case .edition: [LibraryTree.editionHomes]
        case .author: [LibraryTree.authorNames]
        default: []
        }
    }
}

import RecordStore
import StorageEngine

/// Saves books from a damaged library.
struct BookRepair: ContentsRepair {
    private let state: RepairState
    var missingRecords = MissingRecords()
    var evidence = IndexEvidence()

    package static let recordTrees: [TreeNumber] = [
        LibraryTree.authors, LibraryTree.works, LibraryTree.editions, LibraryTree.entries, LibraryTree.texts,
    ]

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
        guard let kind = Self.kinds.first(where: { $0.tree == tree }) else { return false }
        missingRecords.noteLoss(of: key, kind)
        return true
    }

    package mutating func mend() async throws {
        if mayLackRecords { try findEvidence() }
        try await mendWorks()
        try await mendAuthors()
        try await mendEntries()
        try await mendEditions()
    }

    /// A whole library needs no look at what its lists say of records that are gone.
    private var mayLackRecords: Bool { !salvage.report.isWhole || !missingRecords.isEmpty }

    package func derive() async throws {
        let version = database.version
        var derivation = Derivation(DerivedTree.ofBooks, filing: try LibraryMeta.filing(version))
        var batch = ChangeBatch(database)
        while let entries = try derivation.next(from: version) {
            for entry in entries {
                try await batch.put(entry.value, forKey: entry.key, facets: entry.facets, in: entry.tree)
            }
        }
        try await batch.finish()
    }

    package func settle() throws(LibraryError) {
        let version = database.version
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
            (tally.unnamed, tally.mayLackMore) = unnamedCount(kind, named: items.count)
            tally.lost = items.count - tally.madeAnew + tally.unnamed
            tally.saved = try version.count(of: kind.tree) - tally.madeAnew
            report.tallies[kind] = tally
        }
    }

    /// Entries of the snapshot that are lost and that nothing names; and whether there may be more of them.
    private func unnamedCount(_ kind: LostItem.Kind, named: Int) -> (count: Int, mayBeMore: Bool) {
        let records = state.tree(kind.tree)
        let unnamed = max(0, records.lostEntryCount - named)
        if records.isCounted {
            // Any register that is whole names every record there was.
            let isNamed = kind.registers.contains { state.tree($0).lostEntryCount == 0 }
            return (isNamed ? 0 : unnamed, false)
        }
        // Two trees that lost as many entries without a trace would have to have lost those of the same records.
        let witness: LostItem.Kind = kind.registers.isEmpty ? .work : kind
        let isConfirmed = witness.registers.contains {
            state.tree($0).savedEntryCount == state.tree(witness.tree).savedEntryCount
        }
        return (unnamed, !isConfirmed || records.lostEntryCount > 0)
    }
}

extension LostItem.Kind {
    /// The tree of the records; nothing for kinds of others.
    var tree: TreeNumber {
        switch self {
        case .work: LibraryTree.works
        case .edition: LibraryTree.editions
        case .author: LibraryTree.authors
        case .entry: LibraryTree.entries
        default: LibraryTree.texts
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

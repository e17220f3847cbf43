import StorageEngine

/// The damage that a check of the files has found, so that the check of the library need not stumble over each place again
/// for every record that lies in it or looks into it.
struct KnownDamage {
    /// What a reader throws who meets the place, and what was met there.
    private var places: [String: Hits] = [:]
    /// Entries below a page that cannot be read.
    private var lostCounts: [String: Int] = [:]
    /// A record, or a text, cannot be read: counts of what follows from records prove nothing then.
    private(set) var hitsRecords = false

    struct Hits {
        var count = 0
        /// The first few, in words.
        var names: [String] = []
    }

    private static let keptNames = 5

    init() {}

    init(_ report: VerificationReport) {
        for damage in report.damage {
            places[damage.description] = Hits()
            hitsRecords = hitsRecords || damage.page == nil
        }
        for finding in report.treeFindings {
            places[finding.damage.description] = Hits()
            lostCounts[finding.damage.description] = finding.lostEntryCount
            guard let tree = LibraryTree.declarations.first(where: { $0.name == finding.tree }) else { continue }
            hitsRecords = hitsRecords || DamagedPart(tree.number).isOriginal
        }
    }

    /// Notes what was met at a known place; `false` when the error tells of anything else.
    mutating func note(_ error: BookError, _ name: @autoclosure () -> String?) -> Bool {
        guard case .damaged(let finding) = error, let hits = places[finding] else { return false }
        guard let name = name() else { return true }
        places[finding]?.count += 1
        if hits.names.count < Self.keptNames { places[finding]?.names.append(name) }
        return true
    }

    /// How many entries lie behind the page that an error tells of: those to go past.
    func lostCount(_ error: BookError) -> Int? {
        guard case .damaged(let finding) = error, let count = lostCounts[finding], count > 0 else { return nil }
        return count
    }

    func hits(of damage: Damage) -> Hits { places[damage.description] ?? Hits() }
}

import StorageEngine

/// The damage that a check of the files has found, so that the check of the library need not stumble over each place again
/// for every record that lies in it or looks into it.
package struct KnownDamage {
    /// By what a reader's error begins with: the file and the place in it. What is wrong there a check words more fully.
    private var places: [String: Hits] = [:]
    /// Of those beginnings, in bytes.
    private var lengths: Set<Int> = []
    /// Entries below a page that cannot be read.
    private var lostCounts: [String: Int] = [:]
    /// A record, or a text, cannot be read: counts of what follows from records prove nothing then.
    package private(set) var hitsRecords = false

    struct Hits {
        var count = 0
        /// The first few, in words.
        var names: [String] = []
    }

    private static let keptNames = 5

    init() {}

    /// - Parameter isOriginal: whether what lies in a tree is written nowhere else.
    init(_ report: VerificationReport, isOriginal: (TreeNumber) -> Bool) {
        for damage in report.damage {
            add(damage)
            hitsRecords = hitsRecords || damage.page == nil
        }
        for finding in report.treeFindings {
            lostCounts[add(finding.damage)] = finding.lostEntryCount
            hitsRecords = hitsRecords || isOriginal(finding.tree)
        }
    }

    @discardableResult
    private mutating func add(_ damage: Damage) -> String {
        let beginning = Self.beginning(damage)
        places[beginning] = Hits()
        lengths.insert(beginning.utf8.count)
        return beginning
    }

    private static func beginning(_ damage: Damage) -> String {
        let withoutFinding = Damage(file: damage.file, byteOffset: damage.byteOffset, page: damage.page, finding: "")
        return String(withoutFinding.description.dropLast())
    }

    private func place(of error: LibraryError) -> String? {
        guard case .damaged(let finding) = error else { return nil }
        return lengths.lazy.map { String(decoding: finding.utf8.prefix($0), as: UTF8.self) }
            .first { places[$0] != nil }
    }

    /// Notes what was met at a known place; `false` when the error tells of anything else.
    mutating func note(_ error: LibraryError, _ name: @autoclosure () -> String?) -> Bool {
        guard let place = place(of: error), let hits = places[place] else { return false }
        guard let name = name() else { return true }
        places[place]?.count += 1
        if hits.names.count < Self.keptNames { places[place]?.names.append(name) }
        return true
    }

    /// How many entries lie behind the page that an error tells of: those to go past.
    func lostCount(_ error: LibraryError) -> Int? {
        guard let place = place(of: error), let count = lostCounts[place], count > 0 else { return nil }
        return count
    }

    /// Records were gone past that nobody knew to be damaged.
    mutating func noteUnreadRecords() { hitsRecords = true }

    func hits(of damage: Damage) -> Hits { places[Self.beginning(damage)] ?? Hits() }
}

import StorageEngine

/// The records of one kind in two snapshots, compared by the hash sums of their trees.
struct KindComparison {
    let kind: ComparedKind
    let first: Snapshot
    let second: Snapshot

    /// A record, and how it differs.
    private typealias Body = (_ id: UInt64, RecordDifference.Change) throws -> Void

    /// How many records are looked up to tell whether the libraries have any in common, of which there are at least so many; and up to how many
    /// may be found where they have not.
    private static let leastCount = 1000
    private static let sampleCount = 256
    private static let chanceCount = 2

    /// Counts the differences and gives each to `body`.
    ///
    /// - Parameter listsUnrelated: also those of records that share next to no identifiers.
    func run(
        listsUnrelated: Bool, _ body: (LibraryDifference) throws -> Void
    ) throws -> LibraryComparison.Kind {
        var report = LibraryComparison.Kind(
            name: kind.name, firstCount: try first.version.count(of: kind.tree, facet: kind.facet),
            secondCount: try second.version.count(of: kind.tree, facet: kind.facet),
            isByHashSums: first.version.hasSums(toCompareWith: second.version, in: kind.tree))
        if !listsUnrelated, try isUnrelated(report) {
            report.isUnrelated = true
            try body(
                .unrelated(
                    UnrelatedRecords(
                        kind: kind.name, firstCount: report.firstCount, secondCount: report.secondCount)))
            return report
        }
        try forEachDifference { id, change in
            report.note(change)
            try body(.record(difference(id, change)))
        }
        return report
    }

    // MARK: Unrelated

    /// Whether of some records of the smaller tree, evenly spread, the larger has next to none.
    private func isUnrelated(_ counts: LibraryComparison.Kind) throws(LibraryError) -> Bool {
        let count = min(counts.firstCount, counts.secondCount)
        guard count >= Self.leastCount,
            try !translatingErrors({ try first.version.hasSameSums(as: second.version, in: kind.tree) })
        else { return false }
        let isFirstSmaller = counts.firstCount == count
        let (smaller, larger) =
            isFirstSmaller ? (first.version, second.version) : (second.version, first.version)
        var foundCount = 0
        for sample in 0..<Self.sampleCount {
            let isThere = try translatingErrors {
                let entry = try smaller.entry(
                    at: sample * count / Self.sampleCount, in: kind.tree, facet: kind.facet)
                let key = try entry?.withKey { $0.copyBytes(0..<$0.byteCount) } ?? []
                return try larger.entry(forKey: key, in: kind.tree) != nil
            }
            if isThere { foundCount += 1 }
            if foundCount > Self.chanceCount { return false }
        }
        return true
    }

    // MARK: Differences

    /// By identifier, or where keys have more, by key. A record with parts that differ has changed.
    private func forEachDifference(_ body: Body) throws {
        var parts = try changedParts()[...]
        func passParts(before id: UInt64?) throws {
            while let part = parts.first, id.map({ part < $0 }) ?? true {
                parts.removeFirst()
                // Parts of no record are for the verification to tell.
                if try isThere(part, in: first), try isThere(part, in: second) { try body(part, .changed) }
            }
            if let id, parts.first == id { parts.removeFirst() }
        }
        try Self.visit(first.version, second.version, kind.tree) { key, change in
            guard let id = kind.identifier(key) else { return }
            try passParts(before: id)
            guard kind.mayMove, change != .changed else { return try body(id, change) }
            // A record that is in both stands elsewhere in the second: it is told where the first has it.
            guard try isThere(id, in: change == .onlyInFirst ? second : first) else { return try body(id, change) }
            if change == .onlyInFirst { try body(id, .changed) }
        }
        try passParts(before: nil)
    }

    private func isThere(_ id: UInt64, in snapshot: Snapshot) throws -> Bool {
        try translatingErrors { try kind.isThere(snapshot.version, id) }
    }

    /// The records that have other parts in one library than in the other, ascending.
    private func changedParts() throws -> [UInt64] {
        guard let parts = kind.parts else { return [] }
        var ids: [UInt64] = []
        try Self.visit(first.version, second.version, parts.tree) { key, _ in
            guard key.count == 9, let part = key.last, parts.kinds.contains(part) else { return }
            let id = key.number(at: 0)
            if ids.last != id { ids.append(id) }
        }
        return ids
    }

    /// The keys of a tree that differ; `body` may throw.
    private static func visit(
        _ first: Version, _ second: Version, _ tree: TreeNumber,
        _ body: (_ key: [UInt8], RecordDifference.Change) throws -> Void
    ) throws {
        var failure: (any Error)?
        try translatingErrors {
            try first.forEachDifference(from: second, in: tree) { own, other in
                let change: RecordDifference.Change =
                    own == nil ? .onlyInSecond : other == nil ? .onlyInFirst : .changed
                do {
                    try body(try (own ?? other)?.withKey { $0.copyBytes(0..<$0.byteCount) } ?? [], change)
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
        }
        if let failure { throw failure }
    }

    // MARK: What records say

    private func difference(_ id: UInt64, _ change: RecordDifference.Change) -> RecordDifference {
        let comparison = self
        return RecordDifference(kind: kind.name, id: id, change: change) { () throws(LibraryError) in
            let kind = comparison.kind
            let isInFirst = change != .onlyInSecond
            return RecordDifference.Contents(
                label: try kind.label(isInFirst ? comparison.first : comparison.second, id),
                fields: Self.differing(
                    isInFirst ? try kind.fields(comparison.first, id) : [],
                    change == .onlyInFirst ? [] : try kind.fields(comparison.second, id)))
        }
    }

    private static func differing(
        _ first: [(name: String, json: String)], _ second: [(name: String, json: String)]
    ) -> [RecordDifference.Field] {
        func json(_ name: String, in fields: [(name: String, json: String)]) -> String? {
            fields.last { $0.name == name }?.json
        }
        let names = first.map(\.name) + second.map(\.name).filter { json($0, in: first) == nil }
        return names.compactMap { name in
            let (own, other) = (json(name, in: first), json(name, in: second))
            // Texts of one meaning and other bytes are two.
            guard !own.hasSameBytes(as: other) else { return nil }
            return RecordDifference.Field(
                name: name, first: own.map { RecordDifference.Value(json: $0) },
                second: other.map { RecordDifference.Value(json: $0) })
        }
    }
}

extension RecordDifference.Value {
    fileprivate init(json: String) {
        self.json = json
        text = (try? JSONReader.value(of: json))?.text ?? json
    }
}

import StorageEngine

extension Snapshot {
    /// Finds what this library and another do not have alike: records that only one has or that differ, and what they say of their kinds.
    ///
    /// ```swift
    /// let backup = try RecordLibrary(at: "Backup.bookdb", access: .readOnly)
    /// let comparison = try backup.snapshot.differences(from: store.snapshot) { difference in
    ///     guard case .record(let record) = difference else { return }
    ///     print(record.kind, record.id, record.change)
    ///     for field in try record.fields { print(field.name, field.first?.text ?? "–", field.second?.text ?? "–") }
    /// }
    /// print(comparison.isSame)
    /// ```
    ///
    /// Records are the same when they have one identifier and the same bytes. Two snapshots of one library can be compared, too.
    ///
    /// Libraries keep a hash sum of their records, so what is equal is passed over: equal libraries cost a page for each kind, and k
    /// differences some k paths from the root, however many records there are. Sums of 64-bit hashes that are equal by chance would hide a
    /// difference, once in 10¹⁹ comparisons.
    ///
    /// Declarations come first; then what the library keeps beside declared records, then its own kinds by name, each by identifier.
    ///
    /// - Parameters:
    ///   - other: the *second* library of each difference; this is the *first*.
    ///   - listsUnrelated: whether records that share next to no identifiers are given one by one, too, and not as one difference.
    ///   - body: is given one difference at a time. What it throws ends the comparison.
    /// - Returns: the counts.
    /// - Throws: `LibraryError.damaged` when a page or record on the way, of either library, cannot be read; `.invalidArgument` when one holds
    ///   what its store does not know; what `body` throws.
    @discardableResult
    public func differences(
        from other: Snapshot, listsUnrelated: Bool = false, _ body: (LibraryDifference) throws -> Void = { _ in }
    ) throws -> LibraryComparison {
        try requireKnownTrees(to: "compare")
        try other.requireKnownTrees(to: "compare")
        let pageCount = Version.touchedPageCount(of: [version, other.version])
        var comparison = LibraryComparison()
        for difference in try DeclarationComparison(first: self, second: other).differences() {
            comparison.declarationCount += 1
            try body(.declaration(difference))
        }
        for kind in comparedKinds(with: other) {
            let counts = try KindComparison(kind: kind, first: self, second: other).run(
                listsUnrelated: listsUnrelated, body)
            if counts.firstCount + counts.secondCount > 0 { comparison.kinds.append(counts) }
        }
        comparison.pagesRead = Version.touchedPageCount(of: [version, other.version]) - pageCount
        return comparison
    }

    private func comparedKinds(with other: Snapshot) -> [ComparedKind] {
        let contents = [version.contents, other.version.contents].map(\.compared).first { !$0.isEmpty } ?? []
        let (own, others) = (version.declarations.kinds, other.version.declarations.kinds)
        let kinds = own + others.filter { kind in !own.contains { $0.number == kind.number } }
        let declared = kinds.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }.map { kind in
            let name = Array(kind.name.utf8)
            let fields = other.version.storedFields(of: name).joined(with: version.storedFields(of: name))
            return ComparedKind(kind, fields)
        }
        return contents + declared
    }
}

extension KindFields {
    /// These, and those of others whose numbers and names are none of these: by them records of both can be read.
    fileprivate func joined(with others: KindFields) -> KindFields {
        KindFields(
            fields
                + others.fields.filter { field in
                    !fields.contains { $0.name == field.name || $0.number != nil && $0.number == field.number }
                })
    }
}

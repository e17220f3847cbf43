import StorageEngine

/// Puts what a check of the files found into words: what lay in each place, what is lost of it, and what to do.
struct DamageSurvey {
    let report: VerificationReport
    /// What was met in each place while the library was checked.
    var known: KnownDamage
    /// What can be proved below lost pages; `nil` when nothing can.
    let salvage: SalvageReport?
    /// `nil` when the library does not open.
    let snapshot: Snapshot?
    let contents: LibraryContents
    private let coldRegion: Range<Int>
    private let firstHead: Range<Int>
    private let lastHead: Range<Int>

    private static let namedCount = 3

    init(
        _ report: VerificationReport, _ known: KnownDamage, _ salvage: SalvageReport?, _ snapshot: Snapshot?,
        _ inspection: StoreInspection?, of contents: LibraryContents
    ) {
        self.contents = contents
        self.report = report
        self.known = known
        self.salvage = salvage
        self.snapshot = snapshot
        let start = inspection?.coldByteOffset ?? 0
        coldRegion = start..<start + (inspection?.coldByteCount ?? 0)
        let snapshotByteCount = inspection?.files.last { $0.role == .snapshot }?.byteCount ?? 0
        // Where no head can be read, nothing else of the file was looked at.
        let headByteCount = inspection?.headByteCount ?? snapshotByteCount
        firstHead = 0..<max(1, headByteCount)
        lastHead = max(0, snapshotByteCount - headByteCount)..<Int.max
    }

    /// Other trees that know the names of what lay in the places are read once for all of them.
    var places: [DamagedPlace] {
        let stretches = report.treeFindings.map { KeyStretch(tree: $0.tree, low: $0.firstKey, high: $0.endKey) }
        let ends = snapshot.flatMap { contents.words?.ends(of: stretches, in: $0) }
        let names = snapshot.flatMap { contents.words?.names(in: stretches, of: $0, limit: Self.namedCount) }
        let found = stretches.indices.map { index in
            place(
                report.treeFindings[index], stretches[index], ends.flatMap { $0[index] },
                names.map { $0[index] } ?? (first: [], count: 0))
        }
        return report.damage.map(place) + found
    }

    /// Records, texts or commits are hit: what follows from them cannot be made anew from them.
    private var isOriginalHit: Bool {
        isHeadless || report.damage.contains { part(of: $0).isOriginal }
            || report.treeFindings.contains { part(of: $0).isOriginal }
    }

    /// Neither copy of the newest snapshot's head can be read, so nothing below it was looked at.
    private var isHeadless: Bool { snapshot == nil || report.checks.count == 1 }

    // MARK: Trees

    private typealias Names = (first: [String], count: Int)

    private func part(of finding: TreeFinding) -> DamagedPart {
        contents.part(of: finding.tree)
    }

    private func place(
        _ finding: TreeFinding, _ stretch: KeyStretch, _ ends: (String?, String?)?, _ names: Names
    ) -> DamagedPlace {
        let part = part(of: finding)
        var place = DamagedPlace(finding.damage, part, byteCount: finding.damage.page == nil ? nil : 4096)
        place.inside = stretch.words(in: snapshot, of: contents, ends: ends)
        switch part {
        case .index(let index): describe(index, &place)
        case .texts: describeTexts(known.hits(of: finding.damage), &place)
        case .others: describeOthers(&place)
        default: describe(stretch, finding, names, &place)
        }
        return place
    }

    private func describe(_ index: DerivedTree, _ place: inout DamagedPlace) {
        place.recordsLost = 0
        if isOriginalHit {
            place.loss = "it is made from the records, and so can be made anew from those that are saved"
            place.fix = Self.repair
        } else {
            place.loss = "nothing is lost: it is made from the records, and they are all sound"
            place.fix = ["reindex", "--only", index.name]
        }
    }

    private func describe(
        _ stretch: KeyStretch, _ finding: TreeFinding, _ names: Names, _ place: inout DamagedPlace
    ) {
        place.fix = Self.repair
        let unreadable = finding.lostEntryCount
        let proved = salvage?.places.first {
            $0.damage.page == finding.damage.page && $0.damage.file == finding.damage.file && $0.tree == stretch.tree
        }
        guard stretch.tree != LibraryTree.meta else {
            place.describeMeta(losesEntries: unreadable != 0)
            return
        }
        let lost = proved?.lostEntryCount ?? unreadable
        place.recordsLost = lost
        let name = contents.words(of: stretch.tree)
        guard let lost else {
            place.loss = "nobody knows how many of \(name) cannot be read"
            return
        }
        guard lost > 0 else {
            place.loss =
                unreadable == 0
                ? "nothing is lost, but what it holds contradicts itself"
                : "nothing is lost: what it leads to can be proved without it"
            return
        }
        place.loss = "\(lost) of \(name) cannot be read"
        guard !names.first.isEmpty else { return }
        let others = names.count > names.first.count ? " and others" : ""
        place.loss += ": of " + names.first.map { "“\($0)”" }.joined(separator: ", ") + others
    }

    // MARK: Outside the trees

    private func part(of damage: Damage) -> DamagedPart {
        let name = damage.file.split(separator: "/").last ?? ""
        // Without any snapshot the place is the library's directory.
        guard name.hasPrefix("snapshot-") else { return name.hasPrefix("log-") ? .log : .head }
        if damage.page == 0 || firstHead.contains(damage.byteOffset) || lastHead.contains(damage.byteOffset) {
            return .head
        }
        if coldRegion.contains(damage.byteOffset) { return .texts }
        // A page that two trees lead to is of one of them at the most.
        let claimed = salvage?.places.first { $0.damage.page == damage.page && $0.tree != nil }?.tree
        return damage.page == nil ? .unused : claimed.map { contents.part(of: $0) } ?? .unused
    }

    private func place(_ damage: Damage) -> DamagedPlace {
        let part = part(of: damage)
        let isWholePage = damage.page.map { $0 * 4096 == damage.byteOffset } ?? false
        var place = DamagedPlace(damage, part, byteCount: isWholePage ? 4096 : nil)
        switch part {
        case .head:
            if isHeadless {
                place.loss = "the library does not open as it was; what can be proved without the head can be saved"
            } else {
                place.recordsLost = 0
                place.inside = "the head of the snapshot, which is there twice"
                place.loss = "nothing is lost: what it says is there once more, and can be written anew"
            }
            place.fix = isOriginalHit ? Self.repair : ["compact"]
        case .texts: describeTexts(known.hits(of: damage), &place)
        case .others: describeOthers(&place)
        case .index(let index): describe(index, &place)
        case .records(let tree, _):
            place.inside = contents.words(of: tree)
            place.loss = "what it holds contradicts itself"
            place.fix = Self.repair
        case .log:
            place.inside = "the log"
            place.loss = "what these commits changed is as it was before them"
            place.fix = Self.repair
        default:
            place.recordsLost = 0
            place.inside = "bytes that nothing refers to"
            place.loss = "nothing is lost"
            place.fix = isOriginalHit ? Self.repair : ["compact"]
        }
        return place
    }

    private func describeTexts(_ hits: KnownDamage.Hits, _ place: inout DamagedPlace) {
        place.inside = place.inside ?? "the compressed texts"
        place.recordsLost = hits.count
        place.fix = Self.repair
        guard hits.count > 0 else {
            place.loss = "nobody knows which texts cannot be read"
            return
        }
        let named = hits.names.prefix(Self.namedCount).joined(separator: ", ")
        let others = hits.count > Self.namedCount ? " and \(hits.count - Self.namedCount) more" : ""
        place.loss = "\(named)\(others) cannot be read"
    }

    private func describeOthers(_ place: inout DamagedPlace) {
        place.loss = "it is what another module of the app keeps, which can say what is lost"
        place.fix = ["verify"]
    }

    private static let repair = ["repair"]
}

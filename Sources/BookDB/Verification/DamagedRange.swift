import StorageEngine

/// A damaged stretch of one tree, told in what it means to the reader: which works are hit.
struct DamagedRange {
    let sentence: String

    private static let namedTitles = 5

    init(_ finding: TreeFinding, in snapshot: Snapshot) {
        let lost = finding.lostEntryCount.map { "\($0) entries" } ?? "an unknown number of entries"
        var sentence = "\(finding.damage) In “\(finding.tree)”, \(lost) cannot be read"
        let titles = Self.titles(of: finding, in: snapshot)
        if !titles.isEmpty {
            let named = titles.prefix(Self.namedTitles).map { "“\($0)”" }.joined(separator: ", ")
            let others = titles.count > Self.namedTitles ? " and others" : ""
            sentence += ", which belong to \(named)\(others)"
        }
        self.sentence = sentence + "."
    }

    /// Titles of works whose identifier lies in the range, from the list, which is another tree.
    ///
    /// One more than are named, at most: enough to say that there are others.
    private static func titles(of finding: TreeFinding, in snapshot: Snapshot) -> [String] {
        let keyedByWork = [LibraryTree.works, LibraryTree.editions, LibraryTree.entries, LibraryTree.texts]
        guard let tree = LibraryTree.declarations.first(where: { $0.name == finding.tree })?.number,
            keyedByWork.contains(tree)
        else { return [] }
        let first = finding.firstKey?.number(at: 0) ?? 0
        // The end key of a tree by edition or text may be of the same work as the last key of the range.
        let end = finding.endKey?.number(at: 0) ?? .max
        var titles: [String] = []
        for item in snapshot.works.sorted() where (first...max(first, end)).contains(item.id.rawValue) {
            guard titles.count <= namedTitles else { break }
            if item.isReadable { titles.append(item.title) }
        }
        return titles
    }
}

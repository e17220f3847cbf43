import RecordStore
import StorageEngine

/// How books tell people what lies where in their trees.
struct BookWords: ContentsWords {
    /// As in "… is missing in the index of ISBNs".
    static func words(of tree: TreeNumber) -> String { LibraryContents.books.words(of: tree) }

    package func words(of tree: TreeNumber) -> String? {
        switch tree {
        case LibraryTree.books: "the records of works"
        case LibraryTree.authors: "the authors"
        case LibraryTree.texts: "the texts"
        default: DerivedTree.ofBooks.first { $0.number == tree }?.words
        }
    }

    package func word(for bound: [UInt8], in tree: TreeNumber) -> String? {
        let number = KeyStretch.firstNumber(bound)
        switch tree {
        case LibraryTree.isbns:
            let digits = String(number)
            return String(repeating: "0", count: max(0, 13 - digits.count)) + digits
        case LibraryTree.authorNames, LibraryTree.sources: return KeyStretch.text(bound)
        // Of a hash nobody learns anything.
        case LibraryTree.matchKeys: return nil
        default: return WorkIndexDefinition.of(tree).map { $0.word(bound) } ?? ID<Work>(rawValue: number).description
        }
    }

    /// The first and the last title of stretches of the list, which follow from the records. Reads these once.
    package func ends(of stretches: [KeyStretch], in snapshot: Snapshot) -> [(String?, String?)?] {
        var ends: [(String?, String?)?] = Array(repeating: nil, count: stretches.count)
        // By their beginnings: two leaves have no key in common. Of one leaf there may be several findings.
        let titles = stretches.indices.filter { stretches[$0].tree == LibraryTree.title }
        let alike = Dictionary(grouping: titles) { [stretches[$0].low ?? [], stretches[$0].high ?? []] }
        let listed = alike.values.compactMap(\.first).sorted {
            (stretches[$0].low ?? []).lexicographicallyPrecedes(stretches[$1].low ?? [])
        }
        guard !listed.isEmpty else { return ends }
        var found: [Int: (first: [UInt8], last: [UInt8])] = [:]
        do {
            try snapshot.version.scan(LibraryTree.books) { key, _ in
                guard let key = BookKey(key), key.kind == .work,
                    let title = try? snapshot.version.key(of: key.work, in: WorkOrder.title.index)
                else { return !Task.isCancelled }
                let next = listed.indices.partitionPoint {
                    !title.lexicographicallyPrecedes(stretches[listed[$0]].low ?? [])
                }
                guard next > 0, stretches[listed[next - 1]].contains(title) else { return !Task.isCancelled }
                let known = found[listed[next - 1]] ?? (first: title, last: title)
                found[listed[next - 1]] = (
                    first: title.lexicographicallyPrecedes(known.first) ? title : known.first,
                    last: known.last.lexicographicallyPrecedes(title) ? title : known.last
                )
                return !Task.isCancelled
            }
        } catch {
            // The records are damaged, too: what is filed has to do.
            return ends
        }
        for (index, keys) in found {
            let words = (title(ofKey: keys.first, in: snapshot), title(ofKey: keys.last, in: snapshot))
            for other in alike[[stretches[index].low ?? [], stretches[index].high ?? []]] ?? [] { ends[other] = words }
        }
        return ends
    }

    private func title(ofKey key: [UInt8], in snapshot: Snapshot) -> String? {
        let id = ID<Work>(rawValue: key.number(at: key.count - 8))
        let title = try? snapshot.version.workRecord(id)?.work.title
        return title.map { "“\($0)”" } ?? KeyStretch.text(key)
    }

    /// The titles of the works whose records lie in each stretch: the first few, and how many there are. Reads the list once.
    package func names(
        in stretches: [KeyStretch], of snapshot: Snapshot, limit: Int
    ) -> [(first: [String], count: Int)] {
        var names: [(first: [String], count: Int)] = Array(repeating: (first: [], count: 0), count: stretches.count)
        let records = stretches.indices.filter { stretches[$0].tree == LibraryTree.books }.map { index in
            (index: index, works: Self.works(in: stretches[index]))
        }
        guard !records.isEmpty else { return names }
        for item in snapshot.works.list() where item.isReadable {
            guard !Task.isCancelled else { break }
            for (index, works) in records where works.contains(item.id.rawValue) {
                names[index].count += 1
                if names[index].first.count < limit { names[index].first.append(item.title) }
            }
        }
        return names
    }

    /// Of the last work some records may lie before the bound.
    private static func works(in stretch: KeyStretch) -> ClosedRange<UInt64> {
        let first = stretch.low.map(KeyStretch.firstNumber) ?? 0
        guard let high = stretch.high else { return first...UInt64.max }
        let last = KeyStretch.firstNumber(high)
        return first...max(first, high.count > 8 || last == 0 ? last : last - 1)
    }
}

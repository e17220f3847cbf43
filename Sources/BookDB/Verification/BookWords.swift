import RecordStore
import StorageEngine

/// How books tell people what lies where in their trees.
struct BookWords: ContentsWords {
    /// As in "… is missing in the index of ISBNs".
    static func words(of tree: TreeNumber) -> String { LibraryContents.books.words(of: tree) }

    package func words(of tree: TreeNumber) -> String? {
        switch tree {
        case LibraryTree.works: "the works"
        case LibraryTree.editions: "the editions"
        case LibraryTree.authors: "the authors"
        case LibraryTree.entries: "the entries"
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

    /// The first and the last title of a stretch of the list, which follow from the records.
    package func ends(of stretch: KeyStretch, in snapshot: Snapshot) -> (String?, String?)? {
        guard stretch.tree == LibraryTree.title else { return nil }
        var first: [UInt8]?
        var last: [UInt8]?
        do {
            try snapshot.version.scan(LibraryTree.works) { key, _ in
                let work = ID<Work>(rawValue: key.loadBigEndian(at: 0))
                guard let title = try? snapshot.version.key(of: work, in: WorkOrder.title.index),
                    stretch.contains(title)
                else { return true }
                if first.map({ title.lexicographicallyPrecedes($0) }) ?? true { first = title }
                if last.map({ $0.lexicographicallyPrecedes(title) }) ?? true { last = title }
                return true
            }
        } catch {
            // The records are damaged, too: what is filed has to do.
            return nil
        }
        guard let first, let last else { return nil }
        return (title(ofKey: first, in: snapshot), title(ofKey: last, in: snapshot))
    }

    private func title(ofKey key: [UInt8], in snapshot: Snapshot) -> String? {
        let id = ID<Work>(rawValue: key.number(at: key.count - 8))
        let title = try? snapshot.version.workRecord(id)?.work.title
        return title.map { "“\($0)”" } ?? KeyStretch.text(key)
    }

    /// The titles of the works whose records, editions or entries lie in the stretch: the first few, and how many
    /// there are. Reads the list.
    package func names(
        in stretch: KeyStretch, of snapshot: Snapshot, limit: Int
    ) -> (first: [String], count: Int) {
        let tree = stretch.tree
        guard [LibraryTree.works, LibraryTree.editions, LibraryTree.entries].contains(tree) else { return ([], 0) }
        let first = stretch.low.map(KeyStretch.firstNumber) ?? 0
        // Of a longer key the last work may lie on both sides of the bound.
        let end = stretch.high.map { high in
            high.count > 8 ? KeyStretch.firstNumber(high) &+ 1 : KeyStretch.firstNumber(high)
        }
        var titles: [String] = []
        var count = 0
        for item in snapshot.works.list()
        where item.id.rawValue >= first && end.map({ item.id.rawValue < $0 }) ?? true {
            guard item.isReadable, isHit(item, tree, in: snapshot) else { continue }
            count += 1
            if titles.count < limit { titles.append(item.title) }
        }
        return (titles, count)
    }

    /// Every work has a record; only some have what the other trees hold.
    private func isHit(_ item: WorkListItem, _ tree: TreeNumber, in snapshot: Snapshot) -> Bool {
        switch tree {
        case LibraryTree.editions: (try? snapshot.version.editions(of: item.id)) == nil
        case LibraryTree.entries: item.status != .none || item.rating != nil || item.isOwned
        default: true
        }
    }
}

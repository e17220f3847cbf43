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

    /// The first and the last title of a stretch of the list, which follow from the records.
    package func ends(of stretch: KeyStretch, in snapshot: Snapshot) -> (String?, String?)? {
        guard stretch.tree == LibraryTree.title else { return nil }
        var first: [UInt8]?
        var last: [UInt8]?
        do {
            try snapshot.version.scan(LibraryTree.books) { key, _ in
                guard let key = BookKey(key), key.kind == .work,
                    let title = try? snapshot.version.key(of: key.work, in: WorkOrder.title.index),
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

    /// The titles of the works whose records lie in the stretch: the first few, and how many there are. Reads the list.
    package func names(
        in stretch: KeyStretch, of snapshot: Snapshot, limit: Int
    ) -> (first: [String], count: Int) {
        guard stretch.tree == LibraryTree.books else { return ([], 0) }
        let first = stretch.low.map(KeyStretch.firstNumber) ?? 0
        // Of the last work some records may lie before the bound.
        let end = stretch.high.map { high in
            high.count > 8 ? KeyStretch.firstNumber(high) &+ 1 : KeyStretch.firstNumber(high)
        }
        var titles: [String] = []
        var count = 0
        for item in snapshot.works.list()
        where item.id.rawValue >= first && end.map({ item.id.rawValue < $0 }) ?? true {
            guard item.isReadable else { continue }
            count += 1
            if titles.count < limit { titles.append(item.title) }
        }
        return (titles, count)
    }
}

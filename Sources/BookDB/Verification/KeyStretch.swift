import StorageEngine

/// The keys between two bounds of a tree, told in titles and names where another tree knows them.
///
/// Bounds are what a branch says, so they may be cut: a bound is not a key, and no key lies between it and the next one.
struct KeyStretch {
    let tree: TreeNumber
    /// `nil` for the tree's start.
    let low: [UInt8]?
    /// Behind the last key; `nil` for the tree's end.
    let high: [UInt8]?

    func contains(_ key: [UInt8]) -> Bool {
        !(low.map { key.lexicographicallyPrecedes($0) } ?? false)
            && (high.map { key.lexicographicallyPrecedes($0) } ?? true)
    }

    /// Such as `the list by title, “Mansfield Park” … “Mapping the Mind”`. Reads another tree from end to end where that
    /// names the titles.
    func words(in snapshot: Snapshot?) -> String {
        let kind = tree >= LibraryTree.firstKind ? snapshot?.version.declaration(of: tree)?.name : nil
        let name = kind.map { "the records of \($0)" } ?? LibraryTree.words(of: tree)
        guard low != nil || high != nil else { return "\(name), all of it" }
        let ends = snapshot.flatMap { titleEnds(in: $0) } ?? (word(low), word(high))
        switch ends {
        case (let first?, let last?): return first == last ? "\(name), \(first)" : "\(name), \(first) … \(last)"
        case (nil, let last?): return "\(name), up to \(last)"
        case (let first?, nil): return "\(name), from \(first)"
        case (nil, nil): return name
        }
    }

    // MARK: Works

    /// The first and the last title of a stretch of the list, which its other orders know.
    private func titleEnds(in snapshot: Snapshot) -> (String?, String?)? {
        guard tree == LibraryTree.title else { return nil }
        var first: [UInt8]?
        var last: [UInt8]?
        do {
            try snapshot.version.scan(LibraryTree.addedOrder) { key, _ in
                guard key.byteCount > 8 else { return true }
                let title = key.copyBytes(8..<key.byteCount)
                guard contains(title) else { return true }
                if first.map({ title.lexicographicallyPrecedes($0) }) ?? true { first = title }
                if last.map({ $0.lexicographicallyPrecedes(title) }) ?? true { last = title }
                return true
            }
        } catch {
            // That order is damaged, too: what is filed has to do.
            return nil
        }
        guard let first, let last else { return nil }
        return (title(ofKey: first, in: snapshot), title(ofKey: last, in: snapshot))
    }

    private func title(ofKey key: [UInt8], in snapshot: Snapshot) -> String? {
        let id = ID<Work>(rawValue: key.number(at: key.count - 8))
        let title = try? snapshot.version.workRecord(id)?.work.title
        return title.map { "“\($0)”" } ?? word(key)
    }

    /// The titles of the works whose records, editions or entries lie in the stretch: the first few, and how many
    /// there are. Reads the list.
    func titles(in snapshot: Snapshot, limit: Int) -> (first: [String], count: Int) {
        guard [LibraryTree.works, LibraryTree.editions, LibraryTree.entries].contains(tree) else { return ([], 0) }
        let first = low.map(Self.firstNumber) ?? 0
        // Of a longer key the last work may lie on both sides of the bound.
        let end = high.map { high in high.count > 8 ? Self.firstNumber(high) &+ 1 : Self.firstNumber(high) }
        var titles: [String] = []
        var count = 0
        for item in snapshot.works.sorted()
        where item.id.rawValue >= first && end.map({ item.id.rawValue < $0 }) ?? true {
            guard item.isReadable, isHit(item, in: snapshot) else { continue }
            count += 1
            if titles.count < limit { titles.append(item.title) }
        }
        return (titles, count)
    }

    /// Every work has a record; only some have what the other trees hold.
    private func isHit(_ item: WorkListItem, in snapshot: Snapshot) -> Bool {
        switch tree {
        case LibraryTree.editions: (try? snapshot.version.editions(of: item.id)) == nil
        case LibraryTree.entries: item.status != .none || item.rating != nil || item.isOwned
        default: true
        }
    }

    // MARK: Bounds

    /// A bound as far as it goes, with zeros behind it: what it is compared with as a number.
    private static func firstNumber(_ bound: [UInt8]) -> UInt64 {
        (bound.prefix(8) + [UInt8](repeating: 0, count: max(0, 8 - bound.count))).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func word(_ bound: [UInt8]?) -> String? {
        guard let bound, !bound.isEmpty else { return nil }
        let number = Self.firstNumber(bound)
        switch LibraryTree.part(of: tree) {
        case LibraryTree.addedOrder: return LibraryKey.added(.bigEndian(number)).day?.description
        case LibraryTree.isbns:
            let digits = String(number)
            return String(repeating: "0", count: max(0, 13 - digits.count)) + digits
        case LibraryTree.finishedOrder: return LibraryKey.finished(.bigEndian(number))?.description
        case LibraryTree.yearOrder: return LibraryKey.year(.bigEndian(number)).map { String($0) }
        case LibraryTree.ratingOrder: return nil
        case LibraryTree.title, LibraryTree.authorOrder, LibraryTree.seriesOrder, LibraryTree.matchKeys,
            LibraryTree.authorNames, LibraryTree.sources, LibraryTree.seriesWorks, LibraryTree.tagWorks,
            LibraryTree.languageWorks, LibraryTree.appIndexes:
            let text = bound.prefix { $0 != LibraryKey.separator && $0 != 0x1F && $0 != 0xFF }
            return text.isEmpty ? nil : "“\(String(decoding: text, as: UTF8.self))”"
        case LibraryTree.meta, LibraryTree.appOrders, LibraryTree.appLinks: return nil
        default: return ID<Work>(rawValue: number).description
        }
    }
}

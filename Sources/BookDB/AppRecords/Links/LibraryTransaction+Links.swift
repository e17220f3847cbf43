import StorageEngine

extension LibraryTransaction {
    /// - Throws: `BookError.recordNotFound` when a record links to one that is not there. What it linked to before, it may go on to.
    ///   Nothing was changed then.
    mutating func checkLinks<Value: Record>(
        of bytes: [UInt8], replacing old: [UInt8]?, _ kind: RecordKind<Value>
    ) throws(BookError) {
        try bringLinksUpToDate(kind)
        for link in kind.links where link.action != .keep {
            let named = link.identifier(in: bytes)
            if let old, link.identifier(in: old) == named { continue }
            if named == nil, link.isOptional { continue }
            guard try !trees.has(link.target, named ?? 0) else { continue }
            let words = named.map { "\(ID<AppRecord>(rawValue: $0)), which is not there" } ?? "unassigned"
            throw .recordNotFound(
                "The \(link.name) of this \(kind.name) is \(link.target.words) \(words). Insert that first.")
        }
    }

    /// Stores the links that a type declares where the library has others. One that it does not declare stays: another version of the app
    /// may.
    mutating func bringLinksUpToDate<Value: Record>(_ kind: RecordKind<Value>) throws(BookError) {
        guard !kind.links.isEmpty, !linkedTypes.contains(ObjectIdentifier(Value.self)) else { return }
        for link in kind.links {
            let wanted = StoredLink(link, of: kind.name, isWhole: true)
            let stored = try trees.storedLink(wanted.key)
            if let stored, stored.action == link.action, stored.field == link.name { continue }
            // None under this key: the field may have linked to something else.
            let others =
                stored == nil
                ? try trees.storedLinks().filter { $0.kind == kind.name && $0.tag == link.tag } : []
            var isWhole = stored?.isWhole ?? false
            // Of many records nobody looks while others wait to write.
            if stored == nil, try kind.positions(in: trees).count <= OrderBuilding.recordCountMadeAtOnce {
                isWhole = try !kind.isBroken(link, in: trees)
            }
            try apply { (transaction) throws(BookError) in
                for other in others { try transaction.remove(other.key, in: LibraryTree.appLinks) }
                if link.action == .keep {
                    if stored != nil { try transaction.remove(wanted.key, in: LibraryTree.appLinks) }
                } else {
                    let link = StoredLink(link, of: kind.name, isWhole: isWhole)
                    try transaction.put(link.value, forKey: link.key, in: LibraryTree.appLinks)
                }
            }
        }
        linkedTypes.insert(ObjectIdentifier(Value.self))
    }
}

extension DeclaredLink {
    /// What a record has in the field; `nil` when it names nothing.
    func identifier(in record: [UInt8]) -> UInt64? {
        guard case .number(let number) = try? TaggedWalk.place(ofTag: tag, in: record), number != 0 else { return nil }
        return number
    }
}

extension RecordKind {
    /// Whether records link to what is not there.
    fileprivate func isBroken(
        _ link: DeclaredLink, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(BookError) -> Bool {
        try !brokenLinks(of: link, in: trees, limit: 1).isEmpty
    }

    /// The records that link to what is not there.
    func brokenLinks(
        of link: DeclaredLink, in trees: borrowing some TreeReadable & ~Copyable, limit: Int = .max
    ) throws(BookError) -> [ID<Value>] {
        var named: [UInt64: Bool] = [:]
        var broken: [ID<Value>] = []
        try scan(try positions(in: trees), trees) { (id, bytes) throws(BookError) in
            guard broken.count < limit, TaggedWalk.problem(in: bytes) == nil else { return }
            let target = link.identifier(in: bytes)
            if target == nil, link.isOptional { return }
            if named[target ?? 0] == nil { named[target ?? 0] = try trees.has(link.target, target ?? 0) }
            if named[target ?? 0] == false { broken.append(id) }
        }
        return broken
    }
}

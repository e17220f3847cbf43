import StorageEngine

/// The places a repair has gone past.
extension DamagedPlace {
    init(_ place: SalvagedPlace, of contents: LibraryContents) {
        let part: DamagedPart =
            switch place.role {
            case .head, .snapshot: .head
            case .tree: place.tree.map { contents.part(of: $0) } ?? .unused
            case .unproved: .unused
            case .log: .log
            }
        self.init(place.damage, part, byteCount: place.byteCount)
        if let tree = place.tree {
            inside = KeyStretch(tree: tree, low: place.firstKey, high: place.endKey).words(
                in: nil, of: contents)
        }
        guard place.role != .snapshot else {
            loss = "what only the snapshot held is lost"
            return
        }
        switch part {
        case .index, .head, .unused:
            recordsLost = 0
            loss = "nothing is lost by it"
        case .records(LibraryTree.meta, _) where place.lostEntryCount != 0: describeMeta(losesEntries: true)
        case .log: loss = "what these commits changed is as it was before them"
        case .records, .texts, .others:
            recordsLost = place.lostEntryCount
            loss = place.lostEntryCount.map { "\($0) lost" } ?? "nobody knows how many are lost"
        }
    }

    /// The newest segment of the log, when nothing of it can be read.
    init(lostEnd damage: Damage) {
        self.init(damage, .log, byteCount: nil)
        loss = "what was committed in it is lost, and nothing says how much that was"
    }

    /// A block of the cold region.
    init(_ damage: Damage, lostValueCount: Int) {
        self.init(damage, .texts, byteCount: nil)
        recordsLost = lostValueCount
        inside = "the compressed texts"
        loss = "\(lostValueCount) lost"
    }
}

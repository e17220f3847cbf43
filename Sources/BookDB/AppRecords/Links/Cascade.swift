import StorageEngine

/// A record, of the app or of the library, that links may lead to.
struct LinkedRecord: Hashable, Sendable {
    let target: LinkTarget
    let id: UInt64
}

/// What deleting records does to those that link to them, worked out before anything is changed.
struct Cascade {
    /// To be deleted, each once, besides those it began with: kind and identifier.
    fileprivate(set) var deletions: [(kind: String, id: UInt64)] = []
    /// To lose a field.
    fileprivate(set) var nullified: [(kind: String, id: UInt64, tag: UInt32)] = []

    /// So many records a transaction deletes or changes for one.
    static let maximumCount = 100_000
}

extension LibraryTransaction {
    /// - Parameters:
    ///   - records: those that are to be deleted.
    ///   - maximumCount: how many others may go or change with them.
    /// - Throws: `BookError.referenced` when a record that stays denies it, `.tooLarge` for more records than that.
    func cascade(
        from records: [LinkedRecord], maximumCount: Int = Cascade.maximumCount
    ) throws(BookError) -> Cascade {
        var cascade = Cascade()
        var links: [LinkTarget: [StoredLink]] = [:]
        var gone = Set(records)
        var waiting = records[...]
        var denials: [(link: StoredLink, by: LinkedRecord, of: LinkedRecord)] = []
        while let record = waiting.popFirst() {
            if links[record.target] == nil { links[record.target] = try trees.storedLinks(to: record.target) }
            for link in links[record.target] ?? [] {
                let room = maximumCount - cascade.deletions.count - cascade.nullified.count
                // Of those that deny, one is enough, if it does not go itself.
                let limit = link.action == .deny ? .max : room + 1
                for id in try trees.identifiers(linkedBy: link, to: record.id, limit: limit) {
                    let linking = LinkedRecord(target: .records(link.kind), id: id)
                    switch link.action {
                    case .keep: break
                    case .deny: denials.append((link, linking, record))
                    case .nullify: cascade.nullified.append((link.kind, id, link.tag))
                    case .cascade:
                        guard gone.insert(linking).inserted else { continue }
                        cascade.deletions.append((link.kind, id))
                        waiting.append(linking)
                    }
                }
                guard cascade.deletions.count + cascade.nullified.count <= maximumCount else {
                    throw .tooLarge(
                        "Deleting \(words(records)) would delete or change more than \(maximumCount) other records. Delete "
                            + "some thousand of them at a time first, beginning with every \(link.kind) by its \(link.field)."
                    )
                }
            }
        }
        let staying = denials.filter { !gone.contains($0.by) }
        if let first = staying.first {
            let others = staying.count == 1 ? "" : " and \(staying.count - 1) more"
            throw .referenced(
                "\(words([first.of])) cannot be deleted while it is the \(first.link.field) of \(words([first.by]))\(others)."
            )
        }
        cascade.nullified.removeAll { gone.contains(LinkedRecord(target: .records($0.kind), id: $0.id)) }
        return cascade
    }

    private func words(_ records: [LinkedRecord]) -> String {
        records.first.map { "\($0.target.words) \(ID<AppRecord>(rawValue: $0.id))" } ?? ""
    }

    /// Within `apply` only.
    mutating func carryOut(_ cascade: Cascade) throws(BookError) {
        for (kind, id) in cascade.deletions { try eraseRecord(kind, id) }
        for (kind, id, tag) in cascade.nullified { try eraseField(tag, ofRecord: kind, id) }
    }

    /// Deletes a record whose type may not be known, and nothing that links to it. Within `apply` only.
    mutating func eraseRecord(_ kind: String, _ id: UInt64) throws(BookError) {
        let key = AppRecordKey.record(Array(kind.utf8), id)
        guard let stored = try trees.appRecordBytes(key) else { return }
        let orders = try orders(ofKind: kind)
        try replaceEntries(orders.possibleEntries(of: stored), with: nil, of: id, in: orders)
        if TaggedWalk.problem(in: stored) != nil { try removeEntries(of: id, in: orders) }
        try replaceIndexKeys(kind, id, from: stored, to: nil)
        try remove(key, in: LibraryTree.appRecords)
        changes.records[kind, default: Changes()].delete(ID(rawValue: id))
    }

    private mutating func eraseField(_ tag: UInt32, ofRecord kind: String, _ id: UInt64) throws(BookError) {
        let key = AppRecordKey.record(Array(kind.utf8), id)
        guard let stored = try trees.appRecordBytes(key), let bytes = try? TaggedWalk.removing(tag, from: stored) else {
            return
        }
        let orders = try orders(ofKind: kind)
        try replaceEntries(
            orders.possibleEntries(of: stored), with: orders.possibleEntries(of: bytes), of: id, in: orders)
        try replaceIndexKeys(kind, id, from: stored, to: bytes)
        try put(bytes, forKey: key, in: LibraryTree.appRecords)
        changes.records[kind, default: Changes()].update(ID(rawValue: id))
    }

    /// The indexes of a kind are made by its type. Where that was not met, or cannot read the record, they are emptied: the next write of
    /// such a record makes them anew, and queries read all records until then.
    private mutating func replaceIndexKeys(
        _ kind: String, _ id: UInt64, from old: [UInt8], to new: [UInt8]?
    ) throws(BookError) {
        let prefix = AppRecordKey.prefix(Array(kind.utf8))
        guard let stamp = try trees.stored(prefix, in: LibraryTree.appIndexes, { $0.copyBytes(0..<$0.byteCount) })
        else { return }
        let known = (trees.attachment as? RecordTypes)?.kind(named: kind, stamp: stamp)
        if let known, let oldKeys = try? known.entryKeys(ofBytes: old, id: id),
            let newKeys = try? new.map({ (new) throws(BookError) in try known.entryKeys(ofBytes: new, id: id) }) ?? []
        {
            return try replaceKeys(oldKeys, with: newKeys, in: LibraryTree.appIndexes)
        }
        try removeIndexes(ofKind: prefix)
    }
}

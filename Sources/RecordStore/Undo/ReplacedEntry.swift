import StorageEngine

/// An entry of a tree of records, before and after a commit. An entry of a derived tree is never one: those follow from the records.
package struct ReplacedEntry: Equatable, Sendable {
    package let tree: TreeNumber
    package let key: [UInt8]

    /// `nil` where there was none.
    package let before: [UInt8]?

    /// `nil` where there is none any more.
    package let after: [UInt8]?

    package init(tree: TreeNumber, key: [UInt8], before: [UInt8]?, after: [UInt8]?) {
        (self.tree, self.key, self.before, self.after) = (tree, key, before, after)
    }

    /// Of memory, with what arrays take besides.
    var byteCount: Int { 160 + key.count + (before?.count ?? 0) + (after?.count ?? 0) }
}

/// What a commit of this opening left to undo it by. Travels with the commit to `UndoHistory`.
package enum CommittedUndo: Sendable {
    case step(UndoStep, [ReplacedEntry], UndoRole)

    /// It changed more than is kept, or nobody knows what: nothing before it can be undone in order, but for what it has taken back itself.
    case beyondUndoing(UndoRole)
}

/// What a commit is to undoing.
package enum UndoRole: Sendable, Equatable {
    case ordinary

    /// It undoes the commit of that number, or does it again.
    case undoing(UInt64)
    case redoing(UInt64)

    /// The commit that it takes back.
    var undone: UInt64? {
        switch self {
        case .ordinary: nil
        case .undoing(let number), .redoing(let number): number
        }
    }
}

extension ReplacedEntry {
    /// What a commit did to entries of records, as its operations and notes in the log say.
    ///
    /// - Parameter trees: those that hold records, beside those of the app's own.
    /// - Returns: in the order in which the commit first names each; `nil` when its notes do not say what was before.
    package static func all(in operations: [LoggedOperation], of trees: Set<TreeNumber>) -> [ReplacedEntry]? {
        var before: [RecordsBefore.Place: [UInt8]] = [:]
        var after: [RecordsBefore.Place: [UInt8]?] = [:]
        var places: [RecordsBefore.Place] = []
        var isNoted = false
        for operation in operations {
            let written: [UInt8]?
            switch operation.kind {
            case .put(_, let value): written = value
            case .remove: written = nil
            case .clear:
                // What went is nowhere.
                if let tree = operation.tree, holdsRecords(tree, trees) { return nil }
                continue
            case .note(LogNote.before, let note):
                isNoted = true
                guard !note.isEmpty else { continue }
                guard let entry = EntryBefore(note: note) else { return nil }
                before[RecordsBefore.Place(tree: entry.tree, key: entry.key)] = entry.value
                continue
            case .note, .declare: continue
            }
            guard let tree = operation.tree, holdsRecords(tree, trees) else { continue }
            let place = RecordsBefore.Place(tree: tree, key: operation.key)
            if after.updateValue(written, forKey: place) == nil { places.append(place) }
        }
        guard isNoted else { return nil }
        return places.compactMap { place in
            let (old, new) = (before[place], after[place] ?? nil)
            // One that a transaction put and removed again, or put as it was, is as it was.
            return old == new ? nil : ReplacedEntry(tree: place.tree, key: place.key, before: old, after: new)
        }
    }

    private static func holdsRecords(_ tree: TreeNumber, _ trees: Set<TreeNumber>) -> Bool {
        tree >= LibraryTree.firstKind || trees.contains(tree)
    }
}

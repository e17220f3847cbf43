import StorageEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension LibraryTransaction {
    /// The commit is none that people undo: a synchronisation, a migration, settings. Nothing is kept of what it replaces, and `RecordLibrary.undo` passes
    /// it over. Called before the first change.
    public mutating func leaveOutOfUndo() { before = nil }

    /// Keeps what an entry of a record is, before it is changed for the first time.
    mutating func keepBefore(_ key: [UInt8], in tree: TreeNumber) throws(LibraryError) {
        guard before?.isToBeKept(key, in: tree) == true else { return }
        let value = try translatingErrors { try trees.bytes(forKey: key, in: tree) }
        before?.keep(value, key, in: tree)
    }

    /// The same for an entry that is not there yet.
    mutating func keepNew(_ key: [UInt8], in tree: TreeNumber) {
        guard before?.isToBeKept(key, in: tree) == true else { return }
        before?.keep(nil, key, in: tree)
    }

    /// Says in the log what the commit replaced and what it is called, and leaves for `UndoHistory` what it takes to undo it.
    mutating func noteForUndo() throws(LibraryError) {
        guard trees.hasChanges else { return }
        var words: [(code: UInt8, note: [UInt8])] = []
        if let commitName { words.append((LogNote.name, Array(Self.shortened(commitName).utf8))) }
        if let undone = undoRole.undone { words.append((LogNote.undone, .bigEndian(undone))) }
        if let before {
            let entries = try replacedEntries(before)
            let notes = entries.isEmpty ? [] : Self.notes(of: before)
            if before.isOverfull || !trees.hasRoom(forNotes: (notes + words.map(\.note)).map(\.count)) {
                changes.undo = .beyondUndoing(undoRole)
            } else if !entries.isEmpty {
                for note in notes { try addNote(LogNote.before, note) }
                let step = UndoStep(
                    commitNumber: trees.commitNumber, name: commitName.map(Self.shortened), date: Date(),
                    counts: counts(of: entries))
                changes.undo = .step(step, entries, undoRole)
            }
        }
        // What it is called is not worth a commit that has no room for it.
        for (code, note) in words where trees.hasRoom(forNotes: [note.count]) { try addNote(code, note) }
    }

    /// Those that are others now than before.
    private func replacedEntries(_ before: RecordsBefore) throws(LibraryError) -> [ReplacedEntry] {
        var entries: [ReplacedEntry] = []
        for place in before.places {
            let old = before.value(at: place)
            let new = try translatingErrors { try trees.bytes(forKey: place.key, in: place.tree) }
            if old != new {
                entries.append(ReplacedEntry(tree: place.tree, key: place.key, before: old, after: new))
            }
        }
        return entries
    }

    /// A note for each entry that was there; one without bytes where none was, which says that nothing was replaced. One that was changed and is again
    /// as it was has a note, too: its operations are in the log, and without a note it would count as new.
    private static func notes(of before: RecordsBefore) -> [[UInt8]] {
        let notes = before.places.compactMap { place in
            before.value(at: place).map { EntryBefore(tree: place.tree, key: place.key, value: $0).note }
        }
        return notes.isEmpty ? [[]] : notes
    }

    private mutating func addNote(_ code: UInt8, _ note: [UInt8]) throws(LibraryError) {
        try translatingErrors { try trees.addNote(code, note) }
    }

    private static func shortened(_ name: String) -> String {
        var text = name.prefix(1024)
        while text.utf8.count > 1024 { text.removeLast() }
        return String(text)
    }

    // MARK: Counts

    /// What became of how many records of each kind, in the order in which the commit first names each.
    private func counts(of entries: [ReplacedEntry]) -> [UndoStep.Count] {
        struct Name: Hashable {
            let kind: String
            let plural: String
        }
        var names: [Name] = []
        var fates: [Name: [UInt64: UndoStep.What]] = [:]
        let logged = (types?.contents as? LibraryContents)?.logged ?? []
        for entry in entries {
            for (kind, plural, id, isPart) in records(of: entry, logged) {
                let name = Name(kind: kind, plural: plural)
                if fates[name] == nil { names.append(name) }
                let fate: UndoStep.What =
                    if isPart { .updated } else if entry.before == nil { .inserted } else if entry.after == nil {
                        .deleted
                    } else { .updated }
                // Under another key it is the same record; of a part only the record itself says more.
                switch (fates[name]?[id], isPart) {
                case (nil, _), (.updated?, false): fates[name, default: [:]][id] = fate
                case (.inserted?, false), (.deleted?, false): fates[name]?[id] = .updated
                case (_, true): break
                }
            }
        }
        return names.flatMap { name in
            UndoStep.What.allCases.compactMap { what in
                let count = fates[name]?.values.count { $0 == what } ?? 0
                guard count > 0 else { return nil }
                return UndoStep.Count(kind: name.kind, plural: name.plural, what: what, count: count)
            }
        }
    }

    private func records(
        of entry: ReplacedEntry, _ logged: [LoggedKind]
    ) -> [(kind: String, plural: String, id: UInt64, isPart: Bool)] {
        guard entry.tree < LibraryTree.firstKind else {
            guard entry.key.count == 8, let name = trees.kindName(ofTree: entry.tree) else { return [] }
            return [(name, name, entry.key.number(at: 0), false)]
        }
        return logged.compactMap { kind in
            guard kind.trees.contains(entry.tree), let (id, isPart) = kind.record(entry.tree, entry.key) else {
                return nil
            }
            return (kind.name, kind.plural, id, isPart)
        }
    }
}

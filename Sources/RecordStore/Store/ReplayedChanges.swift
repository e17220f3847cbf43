import StorageEngine

/// Gathers which records a replay of the log changes, so that those who saw the library before it learn of them.
final class ReplayedChanges: ReplayWitness {
    private struct State {
        var builtIn: [BuiltInKind: Set<UInt64>] = [:]
        /// By the trees of their kinds.
        var records: [TreeNumber: Set<UInt64>] = [:]
        var isRelisted = false
        /// Whether another process may have declared something that types were compared with.
        var isSchemaChanged = false
    }

    private let contents: LibraryContents
    private let state = Lock(State())

    init(in contents: LibraryContents) { self.contents = contents }

    func changed(_ key: RawSpan, in tree: TreeNumber) {
        if tree == LibraryTree.appFields || tree == LibraryTree.appLinks {
            state.withLock { $0.isSchemaChanged = true }
        } else if tree >= LibraryTree.firstKind {
            guard key.byteCount == 8 else { return }
            let id = key.trailingIdentifier
            state.withLock { _ = $0.records[tree, default: []].insert(id) }
        } else if let (kind, id) = contents.changedRecord(tree, key) {
            state.withLock { _ = $0.builtIn[kind, default: []].insert(id) }
        }
    }

    func cleared(_ tree: TreeNumber) { state.withLock { $0.isRelisted = true } }

    func note(from before: Version, to after: Version) -> (any Sendable)? {
        let state = state.withLock { $0 }
        if state.isSchemaChanged { (after.attachment as? RecordTypes)?.forgetFields(before: after.commitNumber) }
        var changes = LibraryChanges()
        changes.isRelisted = state.isRelisted
        do throws(LibraryError) {
            for (kind, ids) in state.builtIn {
                let found = try self.changes(of: ids, in: kind.tree, kind.key, from: before, to: after)
                if !found.isEmpty { changes[kind] = found }
            }
            for (tree, ids) in state.records {
                guard let name = after.kindName(ofTree: tree) else { continue }
                let found = try self.changes(of: ids, in: tree, [UInt8].bigEndian, from: before, to: after)
                guard !found.isEmpty else { continue }
                changes.records[name] = found
                // Whether others had named them the log does not say.
                if !found.inserted.isEmpty { changes.returnedKinds.insert(name) }
            }
        } catch {
            return nil
        }
        contents.settleChanges(&changes)
        return changes
    }

    private func changes(
        of ids: Set<UInt64>, in tree: TreeNumber, _ key: (UInt64) -> [UInt8], from before: Version, to after: Version
    ) throws(LibraryError) -> Changes<AppRecord> {
        try translatingErrors {
            var changes = Changes<AppRecord>()
            for number in ids.sorted() {
                let id = ID<AppRecord>(rawValue: number)
                let key = key(number)
                switch (try before.contains(key, in: tree), try after.contains(key, in: tree)) {
                case (false, true): changes.insert(id)
                case (true, true): changes.update(id)
                case (true, false): changes.delete(id)
                case (false, false): break
                }
            }
            return changes
        }
    }
}

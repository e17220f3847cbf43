import Filing
import StorageEngine

/// Shows what a library's files hold under an identifier, found without opening the library.
package struct RecordFinder {
    private let store: StoreDump
    private var text: DumpText
    private var isFound = false

    init(_ store: StoreDump, _ emit: @escaping (String) -> Void) {
        self.store = store
        text = DumpText(emit)
    }

    /// Looks through the records of declared kinds.
    mutating func showDeclared(_ id: UInt64, _ name: String) throws(StorageError) {
        for kind in try store.declarations().kinds {
            let what = "record of \(kind.name) \(name)"
            guard let entry = try find(what, .bigEndian(id), kind.number) else { continue }
            let schema = RecordSchema(declaredAs: try fields(of: kind.name))
            show(what, entry) { text in
                var dump = RecordDump(text)
                dump.record(entry.value, schema)
                text = dump.finish()
            }
        }
    }

    /// What the library says of the fields of a kind; nothing where that cannot be read.
    private func fields(of kind: String) throws(StorageError) -> KindFields {
        guard case .found(let entry) = try store.lookUp(Array(kind.utf8), in: LibraryTree.appFields) else {
            return KindFields()
        }
        return (try? KindFields(decoding: entry.value)) ?? KindFields()
    }

    /// Says what of the log does not fit, and whether anything was found.
    mutating func finish(_ path: String, _ name: String) throws(StorageError) -> StoreDump.Outcome {
        for misfit in try store.logMisfits() { text.misfit(misfit) }
        guard isFound || text.misfitCount > 0 else { return .absent("\(path) has no record of \(name).") }
        return .shown(misfits: text.misfitCount)
    }

    /// The entry under a key; damage in the way is told in the text.
    package mutating func find(
        _ what: String, _ key: [UInt8], _ tree: TreeNumber
    ) throws(StorageError) -> StoreDump.FoundEntry? {
        switch try store.lookUp(key, in: tree) {
        case .found(let entry):
            isFound = true
            return entry
        case .absent: return nil
        case .unreadable(let why):
            text.misfit("\(what) cannot be looked up: \(why)")
            return nil
        }
    }

    /// The tailoring of the library, by which its lists are filed.
    package func filing() throws(StorageError) -> FilingTailoring {
        guard case .found(let entry) = try store.lookUp(LibraryMeta.Name.filingTailoring, in: LibraryTree.meta),
            entry.value.count == 8
        else { return .standard }
        return FilingTailoring(stored: entry.value.number(at: 0))
    }

    /// Shows an entry, its fields as a schema has them.
    ///
    /// - Returns: `nil` when there is none.
    @discardableResult
    package mutating func show(
        _ what: String, _ key: [UInt8], _ tree: TreeNumber, _ schema: RecordSchema
    ) throws(StorageError) -> StoreDump.FoundEntry? {
        guard let entry = try find(what, key, tree) else { return nil }
        show(what, entry) { text in
            var dump = RecordDump(text)
            dump.record(entry.value, schema)
            text = dump.finish()
        }
        return entry
    }

    /// Shows an entry that was found as `body` does.
    package mutating func show(_ what: String, _ entry: StoreDump.FoundEntry, _ body: (inout DumpText) -> Void) {
        text.title("\(what), \(DumpText.count(entry.value.count, "byte"))")
        text.title("  in \(entry.place)")
        for misfit in entry.misfits { text.misfit(misfit) }
        body(&text)
    }

    /// Says what does not fit.
    package mutating func misfit(_ words: String) { text.misfit(words) }
}

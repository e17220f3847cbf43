import Filing
import StorageEngine

/// Everything a library's files hold under an identifier, found without opening the library.
struct LibraryRecordDump {
    private let store: StoreDump
    private let id: UInt64
    private var text: DumpText
    private var isFound = false

    init(_ store: StoreDump, _ id: UInt64, _ emit: @escaping (String) -> Void) {
        self.store = store
        self.id = id
        text = DumpText(emit)
    }

    mutating func run(_ path: String) throws(StorageError) -> DumpOutcome {
        let key = [UInt8].bigEndian(id)
        if let record = try show("record of work \(name)", key, LibraryTree.works, .work) {
            try showRow(record.value)
            for kind in TextKind.allCases { try showText(kind) }
        }
        try show("record of the entry of work \(name)", key, LibraryTree.entries, .entry)
        try show("record of author \(name)", key, LibraryTree.authors, .author)
        try showEdition(key)
        for misfit in try store.logMisfits() { text.misfit(misfit) }
        guard isFound || text.misfitCount > 0 else { return .absent("\(path) has no record of \(name).") }
        return .shown(misfits: text.misfitCount)
    }

    private var name: String { ID<Work>(rawValue: id).description }

    /// The entry under a key; damage in the way is told in `text`.
    private mutating func find(
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
    private func filing() throws(StorageError) -> FilingTailoring {
        guard case .found(let entry) = try store.lookUp(LibraryMeta.Name.filingTailoring, in: LibraryTree.meta),
            entry.value.count == 8
        else { return .standard }
        return FilingTailoring(stored: entry.value.number(at: 0))
    }

    private mutating func title(_ what: String, _ entry: StoreDump.FoundEntry) {
        text.title("\(what), \(DumpText.count(entry.value.count, "byte"))")
        text.title("  in \(entry.place)")
        for misfit in entry.misfits { text.misfit(misfit) }
    }

    @discardableResult
    private mutating func show(
        _ what: String, _ key: [UInt8], _ tree: TreeNumber, _ schema: RecordSchema
    ) throws(StorageError) -> StoreDump.FoundEntry? {
        guard let entry = try find(what, key, tree) else { return nil }
        title(what, entry)
        var dump = RecordDump(text)
        dump.record(entry.value, schema)
        text = dump.finish()
        return entry
    }

    /// An edition lies under its work, which is told by another tree.
    private mutating func showEdition(_ key: [UInt8]) throws(StorageError) {
        guard let home = try find("the home of edition \(name)", key, LibraryTree.editionHomes) else { return }
        guard home.value.count == 8 else {
            return text.misfit("the home of edition \(name) is no work: it has \(home.value.count) bytes")
        }
        let work = ID<Work>(rawValue: home.value.number(at: 0))
        let what = "record of edition \(name) of work \(work)"
        if try show(what, home.value + key, LibraryTree.editions, .edition) == nil {
            text.misfit("there is no \(what)")
        }
    }

    private mutating func showText(_ kind: TextKind) throws(StorageError) {
        let what = "\(kind.name) of work \(name)"
        let key = LibraryKey.text(ID(rawValue: id), kind)
        guard let entry = try find(what, key, LibraryTree.texts) else { return }
        title(what, entry)
        text.field(DumpedBytes(entry.value), 0, entry.value.count, RecordDump.quoted(entry.value))
    }

    /// The row that lists show, found as the record says it is filed.
    private mutating func showRow(_ record: [UInt8]) throws(StorageError) {
        let id = ID<Work>(rawValue: id)
        let decoded = DumpedBytes(record).withSpan { record in try? Work.decode(record, id: id).work }
        guard let work = decoded else { return }
        let titleKey = TitleKey.make(
            title: work.title, sortTitle: work.sortTitle, language: work.language, filing: try filing())
        let what = "list row of work \(name)"
        guard let row = try find(what, LibraryKey.title(titleKey, id), LibraryTree.title) else {
            return text.misfit("there is no \(what) where its record files it")
        }
        title("\(what), facets \(String(row.facets, radix: 2))", row)
        var dump = RowDump(text)
        dump.row(row.value)
        text = dump.finish()
    }
}

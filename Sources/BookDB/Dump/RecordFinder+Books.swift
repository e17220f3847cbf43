import Filing
import RecordStore
import StorageEngine

extension RecordFinder {
    /// A work with its entry, row and texts, an edition, or an author.
    mutating func showBooks(_ id: UInt64) throws(StorageError) {
        let work = ID<Work>(rawValue: id)
        let name = work.description
        if let record = try show("record of work \(name)", BookKey.work(work).bytes, LibraryTree.books, .work) {
            try showRow(record.value, id, name)
            for kind in TextKind.allCases { try showText(kind, id, name) }
        }
        try show("record of the entry of work \(name)", BookKey.entry(work).bytes, LibraryTree.books, .entry)
        try show("record of author \(name)", .bigEndian(id), LibraryTree.authors, .author)
        try showEdition(id, name)
    }

    /// An edition is stored under its work; another tree says which work that is.
    private mutating func showEdition(_ id: UInt64, _ name: String) throws(StorageError) {
        guard let home = try find("the home of edition \(name)", .bigEndian(id), LibraryTree.editionHomes) else {
            return
        }
        guard home.value.count == 8 else {
            return misfit("the home of edition \(name) is no work: it has \(home.value.count) bytes")
        }
        let work = ID<Work>(rawValue: home.value.number(at: 0))
        let what = "record of edition \(name) of work \(work)"
        if try show(what, BookKey.edition(work, ID(rawValue: id)).bytes, LibraryTree.books, .edition) == nil {
            misfit("there is no \(what)")
        }
    }

    private mutating func showText(_ kind: TextKind, _ id: UInt64, _ name: String) throws(StorageError) {
        let what = "\(kind.name) of work \(name)"
        let key = LibraryKey.text(ID(rawValue: id), kind)
        guard let entry = try find(what, key, LibraryTree.texts) else { return }
        show(what, entry) { text in
            text.field(DumpedBytes(entry.value), 0, entry.value.count, RecordDump.quoted(entry.value))
        }
    }

    /// The row that lists show, found as the record says it is filed.
    private mutating func showRow(_ record: [UInt8], _ number: UInt64, _ name: String) throws(StorageError) {
        let id = ID<Work>(rawValue: number)
        let decoded = DumpedBytes(record).withSpan { record in try? Work.decode(record, id: id).work }
        guard let work = decoded else { return }
        let titleKey = TitleKey.make(
            title: work.title, sortTitle: work.sortTitle, language: work.language, filing: try filing())
        let what = "list row of work \(name)"
        guard let row = try find(what, LibraryKey.title(titleKey, id), LibraryTree.title) else {
            return misfit("there is no \(what) where its record files it")
        }
        show("\(what), facets \(String(row.facets, radix: 2))", row) { text in
            var dump = RowDump(text)
            dump.row(row.value)
            text = dump.finish()
        }
    }
}

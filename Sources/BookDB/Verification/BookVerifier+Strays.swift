import RecordStore
import StorageEngine

/// Naming the entries of a derived tree that no record makes.
extension BookVerifier {
    /// The first strays of a tree, in words. Walks the tree, so only a tree that holds too much is worth it.
    func strays(in tree: TreeNumber, limit: Int) throws(LibraryError) -> [String] {
        var strays: [String] = []
        var last: [UInt8]?
        while strays.count < limit, !Task.isCancelled {
            let keys = try version.keys(of: tree, after: last, limit: 512)
            guard let end = keys.last else { return strays }
            last = end
            for key in keys where strays.count < limit {
                if let stray = try stray(key, in: tree) { strays.append(stray) }
            }
        }
        return strays
    }

    /// Whose entry it claims to be; `nil` when a record does make the key.
    private func stray(_ key: [UInt8], in tree: TreeNumber) throws(LibraryError) -> String? {
        switch tree {
        case LibraryTree.editionHomes:
            let id = ID<Edition>(rawValue: key.number(at: 0))
            return try version.edition(id) == nil ? "edition \(id), which is not there" : nil
        case LibraryTree.isbns, LibraryTree.sources:
            let id = ID<Edition>(rawValue: key.number(at: key.count - 8))
            guard let edition = try version.edition(id) else { return "edition \(id), which is not there" }
            let keys = tree == LibraryTree.isbns ? edition.isbnKeys : edition.sourceKeys
            return keys.contains(key) ? nil : "edition \(id) has no such identifier"
        case LibraryTree.authorNames:
            let id = ID<Author>(rawValue: key.number(at: key.count - 8))
            guard let author = try version.author(id) else { return "author \(id), who is not there" }
            return LibraryKey.authorName(author.name, id) == key ? nil : "\(author.name) has another name there"
        case LibraryTree.texts:
            let id = ID<Work>(rawValue: key.number(at: 0))
            guard let work = try version.work(id) else { return "a text of work \(id), which is not there" }
            let entry = try version.entry(of: id)
            let isKnown =
                switch TextKind(rawValue: key.last ?? 0) {
                case .description: work.description != nil
                case .notes: entry?.notes != nil
                case .review: entry?.review != nil
                case nil: false
                }
            return isKnown ? nil : "a text of “\(work.title)” that no record mentions"
        default:
            return try strayOfWork(key, in: tree)
        }
    }

    /// Trees whose keys end in the work.
    private func strayOfWork(_ key: [UInt8], in tree: TreeNumber) throws(LibraryError) -> String? {
        let id = ID<Work>(rawValue: key.number(at: key.count - 8))
        guard let work = try version.workRecord(id)?.work else { return "work \(id), which is not there" }
        let authors = try version.presentAuthors(of: work)
        let isKnown: Bool
        if let index = WorkIndex(tree) {
            let entry = try version.entryRecord(of: id)?.entry
            isKnown = WorkKeys(work, authors: authors, entry: entry, filing: filing).contains(key, in: index)
        } else {
            isKnown = LibraryKey.matches(of: work, authors: authors).contains(key)
        }
        return isKnown ? nil : "“\(work.title)” does not belong there"
    }
}

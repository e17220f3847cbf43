import StorageEngine

/// Records that others name, or that are known to be damaged, and that are not there.
struct MissingRecords {
    var works: Set<ID<Work>> = []
    /// Missing authors, and the first few works that name each.
    private(set) var authors: [ID<Author>: [ID<Work>]] = [:]
    var editions: [ID<Edition>: ID<Work>] = [:]
    /// Works whose entry is missing.
    var entries: Set<ID<Work>> = []
    /// Editions, entries and texts of works that are not there.
    private(set) var orphans: [Orphan] = []
    /// What is no record although its page is sound, by kind and the identifier's number.
    private var bytes: [LostItem.Kind: [UInt64: [UInt8]]] = [:]

    enum Orphan {
        case record(BookKey)
        case text(ID<Work>, TextKind)

        var work: ID<Work> {
            switch self {
            case .record(let key): key.work
            case .text(let work, _): work
            }
        }
    }

    private static let keptWorks = 8

    var isEmpty: Bool {
        works.isEmpty && authors.isEmpty && editions.isEmpty && entries.isEmpty && orphans.isEmpty
    }

    /// What the log took away is not missing; but an author whom a work still names is.
    mutating func forget(_ removed: RemovedRecords) {
        works.subtract(removed.works)
        entries.subtract(removed.entries)
        for id in removed.authors where authors[id]?.isEmpty == true { authors[id] = nil }
    }

    mutating func note(_ author: ID<Author>, missingIn work: ID<Work>) {
        guard authors[author, default: []].count < Self.keptWorks else { return }
        authors[author, default: []].append(work)
    }

    mutating func noteOrphan(_ orphan: Orphan) {
        works.insert(orphan.work)
        orphans.append(orphan)
    }

    /// The record under a key is missing. When it lies there and cannot be decoded, its bytes are kept. `false` for a key
    /// that names no record.
    @discardableResult
    mutating func noteLoss(of key: [UInt8], _ kind: LostItem.Kind, bytes: [UInt8]? = nil) -> Bool {
        var number = key.count < 8 ? 0 : key.number(at: 0)
        switch (kind, BookKey(key)?.kind) {
        case (.work, .work?): works.insert(ID(rawValue: number))
        case (.entry, .entry?): entries.insert(ID(rawValue: number))
        case (.edition, .edition(let id)?):
            editions[id] = ID(rawValue: number)
            number = id.rawValue
        case (.author, nil) where key.count == 8: authors[ID(rawValue: number), default: []] += []
        default: return false
        }
        if let bytes { self.bytes[kind, default: [:]][number] = bytes }
        return true
    }

    func bytes(of kind: LostItem.Kind, _ number: UInt64) -> [UInt8]? { bytes[kind]?[number] }

    /// Takes out what the log has put again.
    mutating func forgetWhatIsThere(in version: Version) throws {
        for id in works where try version.contains(.work(id)) { works.remove(id) }
        for id in entries where try version.contains(.entry(id)) {
            entries.remove(id)
        }
        for id in authors.keys where try version.contains(.bigEndian(id.rawValue), in: LibraryTree.authors) {
            authors[id] = nil
        }
        for (id, work) in editions where try version.contains(.edition(work, id)) {
            editions[id] = nil
        }
    }
}

import RecordStore
import StorageEngine

/// Looking through the lists and indexes for what they say of records that are not there.
extension BookRepair {
    /// Each tree as of the newest commit: its entries in the snapshot, and over them what the log changed. Only entries that
    /// speak of something missing are kept.
    mutating func findEvidence() throws {
        let trees = Set(DerivedTree.ofBooks.map(\.number)).subtracting([LibraryTree.matchKeys])
        let version = database.version
        if let meta = try LibraryMeta(version) { evidence.readsRows = meta.rowLayout == WorkListRow.Layout.version }
        let worksInNeed = missingRecords.entries.union(missingRecords.authors.values.joined())
        var found: [TreeNumber: [[UInt8]: [UInt8]]] = [:]
        for tree in trees {
            var entries = salvage.entries(in: tree)
            while let entry = try entries.next() {
                guard let value = entry.value, try isWanted(entry.key, value, tree, version, worksInNeed)
                else { continue }
                found[tree, default: [:]][entry.key] = value
            }
        }
        var commits = salvage.commits()
        while let commit = try commits.nextCommit() {
            try commit.forEachOperation(in: trees) { (operation) throws(StorageError) in
                switch operation {
                case .put(let tree, let key, _, let value):
                    let isWanted = try isWanted(key, value, tree, version, worksInNeed)
                    found[tree, default: [:]][key] = isWanted ? value : nil
                case .remove(let tree, let key): found[tree]?[key] = nil
                case .removeAll(let tree): found[tree] = nil
                }
            }
        }
        for (tree, entries) in found {
            for (key, value) in entries { take(key, value, tree) }
        }
        missingRecords.works.formUnion(try evidence.works.filter { try isMissing($0, version) })
        missingRecords.editions.merge(evidence.homes) { $1 }
        // Nothing else is given the identifier of what is gone.
        for id in removed.works { identifiers.note(id) }
        for id in removed.authors { identifiers.note(id) }
    }

    private func isWanted(
        _ key: [UInt8], _ value: [UInt8], _ tree: TreeNumber, _ version: Version, _ worksInNeed: Set<ID<Work>>
    ) throws(StorageError) -> Bool {
        guard key.count >= (tree == LibraryTree.editionHomes ? 8 : 9) else { return false }
        let last = key.number(at: key.count - 8)
        let work = ID<Work>(rawValue: last)
        switch tree {
        case LibraryTree.title:
            if worksInNeed.contains(work) { return true }
            if try isMissing(work, version) { return true }
            guard evidence.readsRows, let row = value.withBytes({ IndexEvidence.Row(filedTitle: [], $0) }),
                row.showsEntry
            else { return false }
            return try lacksEntry(work, version)
        case LibraryTree.editionHomes:
            let home = ID<Work>(rawValue: value.number(at: 0))
            return try !version.contains(.edition(home, ID(rawValue: last)))
        case LibraryTree.isbns, LibraryTree.sources:
            let home = ID<Work>(rawValue: key.number(at: key.count - 16))
            return try !version.contains(.edition(home, ID(rawValue: last)))
        case LibraryTree.authorNames:
            // Of one who is gone the name is of use where a work still names them.
            let author = ID<Author>(rawValue: last)
            if removed.authors.contains(author), missingRecords.authors[author] == nil { return false }
            return try !version.contains(.bigEndian(last), in: LibraryTree.authors)
        case LibraryTree.tagWorks:
            return try lacksEntry(work, version)
        default:
            return try isMissing(work, version)
        }
    }

    private func isMissing(_ work: ID<Work>, _ version: Version) throws(StorageError) -> Bool {
        guard !removed.works.contains(work) else { return false }
        return try !version.contains(.work(work))
    }

    private func lacksEntry(_ work: ID<Work>, _ version: Version) throws(StorageError) -> Bool {
        guard !removed.works.contains(work), !removed.entries.contains(work) else { return false }
        return try !version.contains(.entry(work))
    }

    private mutating func take(_ key: [UInt8], _ value: [UInt8], _ tree: TreeNumber) {
        evidence.add(key, value, in: tree)
        switch tree {
        case LibraryTree.editionHomes: identifiers.note(ID<Edition>(rawValue: key.number(at: 0)))
        case LibraryTree.authorWorks: identifiers.note(ID<Author>(rawValue: key.number(at: 0)))
        default: identifiers.note(ID<Work>(rawValue: key.number(at: key.count - 8)))
        }
    }
}

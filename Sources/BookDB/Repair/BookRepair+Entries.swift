import RecordStore
import StorageEngine

/// Making lost entries and editions anew.
extension BookRepair {
    /// A row shows status, rating, the day finished and whether the reader owns the book; the lists know the tags; notes and
    /// reviews are texts of their own.
    mutating func mendEntries() async throws {
        let version = database.version
        var batch = ChangeBatch(database)
        for (id, row) in evidence.rows where row.showsEntry && !removed.entries.contains(id) {
            missingRecords.entries.insert(id)
        }
        missingRecords.entries.formUnion(evidence.tags.keys)
        for id in missingRecords.entries.sorted() {
            guard try !version.contains(.entry(id)) else { continue }
            let row = evidence.rows[id]
            let title = try version.workRecord(id)?.work.title
            var entry = UserLibraryEntry(
                for: id, status: row?.status ?? .none, rating: row?.rating, dateFinished: row?.dateFinished,
                tags: evidence.tags[id] ?? [], isOwned: row?.isOwned ?? false)
            if try version.contains(LibraryKey.text(id, .notes), in: LibraryTree.texts) { entry.notes = "" }
            if try version.contains(LibraryKey.text(id, .review), in: LibraryTree.texts) { entry.review = "" }
            let isKnown = row != nil || !entry.tags.isEmpty || entry.notes != nil || entry.review != nil
            let bytes = missingRecords.bytes(of: .entry, id.rawValue)
            guard title != nil, isKnown else {
                report.items.append(LostItem(.entry, "\(id)", title: title, loss: "all of it", bytes: bytes))
                continue
            }
            try await batch.put(entry.encodedRecord(), forKey: .entry(id))
            let kept = row == nil ? "status, rating, date finished, " : ""
            report.items.append(
                LostItem(
                    .entry, "\(id)", title: title, loss: "\(kept)date started and read count", isMadeAnew: true,
                    bytes: bytes))
        }
        try await batch.finish()
    }

    /// Indexes know an edition's work, its ISBNs and what other catalogues call it.
    mutating func mendEditions() async throws {
        let version = database.version
        var batch = ChangeBatch(database)
        for (id, work) in missingRecords.editions.sorted(by: { $0.key < $1.key }) {
            let key = BookKey.edition(work, id)
            guard try !version.contains(key) else { continue }
            identifiers.note(id)
            if try hasLeft(work, id, version) { continue }
            var edition = Edition(
                of: work, isbns: evidence.isbns[id] ?? [],
                identifiers: (evidence.sources[id] ?? []).withoutRepetitions())
            edition.id = id
            let title = try version.workRecord(work)?.work.title ?? evidence.rows[work]?.title
            let bytes = missingRecords.bytes(of: .edition, id.rawValue)
            let isKnown = !edition.isbns.isEmpty || !edition.identifiers.isEmpty
            guard isKnown, try version.contains(.work(work)) else {
                report.items.append(
                    LostItem(
                        .edition, "\(id)", title: title, loss: "all of it",
                        fields: isKnown ? edition.jsonLine() : nil, bytes: bytes))
                continue
            }
            try await batch.put(edition.encodedRecord(), forKey: key)
            report.items.append(
                LostItem(
                    .edition, "\(id)", title: title, loss: "all but its ISBNs and identifiers", isMadeAnew: true,
                    bytes: bytes))
        }
        try await batch.finish()
    }

    /// An edition belongs to one work. Where the commit that moved it is lost, it still stands under the one of before as well, or though a later
    /// commit says that it was deleted. What is there or is said of it later is whole, so nothing is lost with the one of before.
    mutating func mendHomes() async throws {
        guard !latestHomes.isEmpty else { return }
        let version = database.version
        var left: [BookKey] = []
        let count = try version.count(in: LibraryTree.books, facet: BookKey.Kind.editionFacet)
        try version.scan(LibraryTree.books, facet: BookKey.Kind.editionFacet, positions: 0..<count) { key, _ in
            if let key = BookKey(key), let edition = key.edition, latestHomes[edition] != nil { left.append(key) }
            return true
        }
        var batch = ChangeBatch(database)
        for key in left {
            guard let id = key.edition, try hasLeft(key.work, id, version) else { continue }
            try await batch.remove(key.bytes, in: LibraryTree.books)
        }
        try await batch.finish()
    }

    /// Whether the log says that an edition is another work's now, and it is there, or that it or the work is no longer.
    private func hasLeft(_ work: ID<Work>, _ id: ID<Edition>, _ version: Version) throws -> Bool {
        if removed.works.contains(work) { return true }
        guard let latest = latestHomes[id] else { return false }
        guard let home = latest else { return true }
        return try home != work && version.contains(.edition(home, id))
    }
}

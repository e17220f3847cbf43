import Filing
import RecordStore
import StorageEngine

/// Making lost works anew from their rows, and finding out what belongs to works that nothing is known of.
extension BookRepair {
    mutating func mendWorks() async throws {
        let version = database.version
        var batch = ChangeBatch(database)
        var made: Set<ID<Work>> = []
        for id in missingRecords.works.sorted() {
            guard var work = try newWork(id, version) else {
                report.items.append(
                    LostItem(.work, "\(id)", loss: "all of it", bytes: missingRecords.bytes(of: .work, id.rawValue)))
                continue
            }
            made.insert(id)
            for author in work.authors where try !version.contains(.bigEndian(author.rawValue), in: LibraryTree.authors)
            {
                missingRecords.note(author, missingIn: id)
            }
            let hasText = try version.contains(LibraryKey.text(id, .description), in: LibraryTree.texts)
            work.description = hasText ? "" : nil
            try await batch.put(work.encodedRecord(), forKey: .work(id))
            report.items.append(
                LostItem(
                    .work, "\(id)", title: work.title, loss: Self.loss(evidence.rows[id]), isMadeAnew: true,
                    bytes: missingRecords.bytes(of: .work, id.rawValue)))
        }
        for orphan in missingRecords.orphans where !made.contains(orphan.work) {
            try await giveUp(orphan, version, &batch)
        }
        // A note or review alone says that there was an entry.
        for case .text(let work, let kind) in missingRecords.orphans where made.contains(work) {
            guard kind != .description, try !version.contains(.entry(work)) else { continue }
            missingRecords.entries.insert(work)
        }
        try await batch.finish()
    }

    private static func loss(_ row: IndexEvidence.Row?) -> String {
        row == nil
            ? "all but what it is filed under"
            : "what no list shows, such as subtitle and subjects; the rest is as the lists showed it"
    }

    /// The work as the list showed it; else by what it is filed under; else by a title one of its editions has.
    private func newWork(_ id: ID<Work>, _ version: Version) throws -> Work? {
        let row = evidence.rows[id]
        let filed = row?.filedTitle ?? evidence.filedTitles[id]
        let meta = try LibraryMeta(version)
        var title = row?.title ?? ""
        if title.isEmpty { title = filed.map { Self.text(ofKey: $0, meta) } ?? "" }
        if title.isEmpty { title = try version.editions(of: id).lazy.compactMap(\.title).first ?? "" }
        guard !title.isBlank else { return nil }
        var work = Work(
            title: title, authors: try authors(of: id, version), year: row?.year, coverURL: row?.coverURL,
            series: evidence.series[id] ?? [], reviewStatus: row?.reviewStatus ?? .unreviewed)
        work.language = row?.language?.description
        work.id = id
        work.added = evidence.added[id] ?? Milliseconds(since1970: 0)
        // A filing title that is lost gave it its place; what it is filed under keeps it there.
        if let filed {
            let text = Self.text(ofKey: filed, meta)
            let filing = meta?.filing ?? .standard
            let key = TitleKey.make(title: title, sortTitle: nil, language: work.language, filing: filing)
            if key != TitleKey.make(title: title, sortTitle: text, language: work.language, filing: filing) {
                work.sortTitle = text
            }
        }
        return work
    }

    /// What a work is filed under, as text. Keys of the first rules were text.
    private static func text(ofKey key: [UInt8], _ meta: LibraryMeta?) -> String {
        meta?.filingRules == 1
            ? String(decoding: key, as: UTF8.self)
            : FilingKeyText.text(of: key, tailoring: meta?.filing ?? .standard)
    }

    /// Those the index names, in the order of the row's text as far as their names are known.
    private func authors(of id: ID<Work>, _ version: Version) throws -> [ID<Author>] {
        let text = evidence.rows[id]?.authors ?? ""
        var places: [(author: ID<Author>, place: Int)] = []
        for author in Set(evidence.authors[id] ?? []).sorted() {
            let name = try version.author(author)?.name
            let place = name.flatMap { text.firstRange(of: $0) }.map { text.distance(from: text.startIndex, to: $0) }
            places.append((author, place ?? .max))
        }
        return places.sorted { ($0.place, $0.author) < ($1.place, $1.author) }.map(\.author)
    }

    /// Takes out what belongs to a work of which nothing is known, and lists it with all that it says.
    private mutating func giveUp(
        _ orphan: MissingRecords.Orphan, _ version: Version, _ batch: inout ChangeBatch
    ) async throws {
        switch orphan {
        case .record(let key):
            if let edition = try version.editionRecord(key) {
                report.items.append(LostItem(withoutWork: edition))
            } else if key.kind == .entry, let entry = try version.entry(of: key.work) {
                report.items.append(LostItem(.entry, "\(key.work)", loss: "its work", fields: entry.jsonLine()))
            }
            try await batch.remove(key.bytes, in: LibraryTree.books)
        case .text(let work, let kind):
            if let text = try version.text(kind, of: work) {
                var json = JSONWriter()
                json.object { $0.member(kind.name, text) }
                report.items.append(
                    LostItem(.text, "\(work)", loss: "the work of this \(kind.name)", fields: json.text))
            }
            try await batch.remove(LibraryKey.text(work, kind), in: LibraryTree.texts)
        }
    }
}

extension LostItem {
    /// An edition that is whole, and whose work is gone.
    init(withoutWork edition: Edition) {
        self.init(.edition, "\(edition.id)", title: edition.title, loss: "its work", fields: edition.jsonLine())
    }
}

extension StringProtocol {
    /// Where a text first occurs.
    fileprivate func firstRange(of text: some StringProtocol) -> Index? {
        guard !text.isEmpty else { return nil }
        return indices.first { self[$0...].hasPrefix(text) }
    }
}

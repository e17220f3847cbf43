import RecordStore
import StorageEngine

/// Looking through the records that were saved: does each decode, and is everything there that it names?
extension BookRepair {
    package mutating func review() async throws {
        // Authors and works first, since the others are held against them.
        for kind in [LostItem.Kind.author, .work, .edition, .entry, .text] {
            let version = database.version
            var batch = ChangeBatch(database)
            var records = RecordIterator(version, kind.tree)
            while let (key, value) = try records.nextEntry() {
                guard kind.mayHave(key) else { continue }
                guard !removed.tookAlong(key, in: kind.tree) else {
                    tellIfMoved(key, value)
                    try await batch.remove(key, in: kind.tree)
                    continue
                }
                switch try reviewed(kind, key, value, version) {
                case value: break
                case let record?:
                    try await batch.put(record, forKey: key, facets: Self.facets(of: key, in: kind.tree), in: kind.tree)
                case nil: try await batch.remove(key, in: kind.tree)
                }
            }
            try await batch.finish()
        }
        try missingRecords.forgetWhatIsThere(in: database.version)
        missingRecords.forget(removed)
    }

    /// An edition of which the log says nothing, though it says that its work was removed, was moved or deleted by a commit that is lost: it may be
    /// missed.
    private func tellIfMoved(_ key: [UInt8], _ value: [UInt8]) {
        guard let key = BookKey(key), let id = key.edition, latestHomes[id] == nil,
            let edition = decoded(
                value, { bytes throws(RecordProblem) in try Edition.decode(bytes, id: id, work: key.work) })
        else { return }
        report.items.append(LostItem(withoutWork: edition))
    }

    /// The record as it is to be stored; `nil` when it is none.
    private mutating func reviewed(
        _ kind: LostItem.Kind, _ key: [UInt8], _ value: [UInt8], _ version: Version
    ) throws -> [UInt8]? {
        let record: [UInt8]? =
            switch kind {
            case .author: reviewedAuthor(key, value)
            case .work: try reviewedWork(key, value, version)
            case .edition: try reviewedEdition(key, value, version)
            case .entry: try reviewedEntry(key, value, version)
            default: try reviewedText(key, value, version)
            }
        if record == nil, !missingRecords.noteLoss(of: key, kind, bytes: value) {
            report.items.append(LostItem(kind, key.hexadecimal, loss: "its key, which names nothing", bytes: value))
        }
        return record
    }

    private mutating func reviewedAuthor(_ key: [UInt8], _ value: [UInt8]) -> [UInt8]? {
        guard key.count == 8 else { return nil }
        let id = ID<Author>(rawValue: key.number(at: 0))
        guard let author = decoded(value, { bytes throws(RecordProblem) in try Author.decode(bytes, id: id) })
        else { return nil }
        identifiers.note(id)
        return author.encodedRecord()
    }

    private mutating func reviewedWork(_ key: [UInt8], _ value: [UInt8], _ version: Version) throws -> [UInt8]? {
        guard let id = BookKey(key)?.work,
            let (record, texts) = decoded(value, { bytes throws(RecordProblem) in try Work.decode(bytes, id: id) })
        else { return nil }
        var work = record
        identifiers.note(id)
        work.authors = work.authors.withoutRepetitions()
        for author in work.authors where try !version.contains(.bigEndian(author.rawValue), in: LibraryTree.authors) {
            missingRecords.note(author, missingIn: id)
            identifiers.note(author)
        }
        let isThere = try version.contains(LibraryKey.text(id, .description), in: LibraryTree.texts)
        if texts & TextKind.description.flag != 0, !isThere { loseText(.description, id, work.title) }
        // Whether there is one is all the record says.
        work.description = isThere ? "" : nil
        return work.encodedRecord()
    }

    private mutating func reviewedEdition(_ key: [UInt8], _ value: [UInt8], _ version: Version) throws -> [UInt8]? {
        guard let work = BookKey(key)?.work, let id = BookKey(key)?.edition,
            var edition = decoded(
                value, { bytes throws(RecordProblem) in try Edition.decode(bytes, id: id, work: work) })
        else { return nil }
        identifiers.note(id)
        edition.isbns = edition.isbns.withoutRepetitions()
        edition.identifiers = edition.identifiers.withoutRepetitions()
        if try !version.contains(.work(work)) {
            identifiers.note(work)
            missingRecords.noteOrphan(.record(.edition(work, id)))
        }
        return edition.encodedRecord()
    }

    private mutating func reviewedEntry(_ key: [UInt8], _ value: [UInt8], _ version: Version) throws -> [UInt8]? {
        guard let id = BookKey(key)?.work,
            let (record, texts) = decoded(
                value, { bytes throws(RecordProblem) in try UserLibraryEntry.decode(bytes, work: id) })
        else { return nil }
        var entry = record
        let title = try version.workRecord(id)?.work.title
        for kind in [TextKind.notes, .review] {
            let isThere = try version.contains(LibraryKey.text(id, kind), in: LibraryTree.texts)
            if texts & kind.flag != 0, !isThere { loseText(kind, id, title) }
            if kind == .notes { entry.notes = isThere ? "" : nil } else { entry.review = isThere ? "" : nil }
        }
        if title == nil {
            identifiers.note(id)
            missingRecords.noteOrphan(.record(.entry(id)))
        }
        return entry.encodedRecord()
    }

    private mutating func reviewedText(_ key: [UInt8], _ value: [UInt8], _ version: Version) throws -> [UInt8]? {
        guard key.count == 9, let kind = TextKind(rawValue: key[8]) else { return nil }
        let id = ID<Work>(rawValue: key.number(at: 0))
        if try !version.contains(.work(id)) {
            identifiers.note(id)
            missingRecords.noteOrphan(.text(id, kind))
        } else if kind != .description, try !version.contains(.entry(id)) {
            missingRecords.entries.insert(id)
        }
        return value
    }

    // MARK: Pieces

    private func decoded<Record>(
        _ value: [UInt8], _ decode: (RawSpan) throws(RecordProblem) -> Record
    ) -> Record? {
        try? value.withBytes { Result(decoding: $0, decode) }.get()
    }

    mutating func loseText(_ kind: TextKind, _ id: ID<Work>, _ title: String?) {
        report.items.append(LostItem(.text, "\(id)", title: title, loss: "the \(kind.name)"))
    }
}

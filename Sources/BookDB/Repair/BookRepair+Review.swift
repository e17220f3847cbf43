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
                switch try reviewed(kind, key, value, version) {
                case value: break
                case let record?: try await batch.put(record, forKey: key, in: kind.tree)
                case nil: try await batch.remove(key, in: kind.tree)
                }
            }
            try await batch.finish()
        }
        try missingRecords.forgetWhatIsThere(in: database.version)
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
        let id = ID<Author>(rawValue: key.number(at: 0))
        guard let author = decoded(key, 8, value, { bytes throws(RecordProblem) in try Author.decode(bytes, id: id) })
        else { return nil }
        identifiers.note(id)
        return author.encodedRecord()
    }

    private mutating func reviewedWork(_ key: [UInt8], _ value: [UInt8], _ version: Version) throws -> [UInt8]? {
        let id = ID<Work>(rawValue: key.number(at: 0))
        guard
            let (record, texts) = decoded(
                key, 8, value, { bytes throws(RecordProblem) in try Work.decode(bytes, id: id) })
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
        let (work, id) = (ID<Work>(rawValue: key.number(at: 0)), ID<Edition>(rawValue: key.number(at: 8)))
        guard
            var edition = decoded(
                key, 16, value, { bytes throws(RecordProblem) in try Edition.decode(bytes, id: id, work: work) })
        else { return nil }
        identifiers.note(id)
        edition.isbns = edition.isbns.withoutRepetitions()
        edition.identifiers = edition.identifiers.withoutRepetitions()
        if try !version.contains(.bigEndian(work.rawValue), in: LibraryTree.works) {
            identifiers.note(work)
            missingRecords.noteOrphan(key, in: LibraryTree.editions)
        }
        return edition.encodedRecord()
    }

    private mutating func reviewedEntry(_ key: [UInt8], _ value: [UInt8], _ version: Version) throws -> [UInt8]? {
        let id = ID<Work>(rawValue: key.number(at: 0))
        guard
            let (record, texts) = decoded(
                key, 8, value, { bytes throws(RecordProblem) in try UserLibraryEntry.decode(bytes, work: id) })
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
            missingRecords.noteOrphan(key, in: LibraryTree.entries)
        }
        return entry.encodedRecord()
    }

    private mutating func reviewedText(_ key: [UInt8], _ value: [UInt8], _ version: Version) throws -> [UInt8]? {
        guard key.count == 9, let kind = TextKind(rawValue: key[8]) else { return nil }
        let id = ID<Work>(rawValue: key.number(at: 0))
        if try !version.contains(.bigEndian(id.rawValue), in: LibraryTree.works) {
            identifiers.note(id)
            missingRecords.noteOrphan(key, in: LibraryTree.texts)
        } else if kind != .description, try !version.contains(.bigEndian(id.rawValue), in: LibraryTree.entries) {
            missingRecords.entries.insert(id)
        }
        return value
    }

    // MARK: Pieces

    private func decoded<Record>(
        _ key: [UInt8], _ keyByteCount: Int, _ value: [UInt8], _ decode: (RawSpan) throws(RecordProblem) -> Record
    ) -> Record? {
        guard key.count == keyByteCount else { return nil }
        return try? value.withBytes { Result(decoding: $0, decode) }.get()
    }

    mutating func loseText(_ kind: TextKind, _ id: ID<Work>, _ title: String?) {
        report.items.append(LostItem(.text, "\(id)", title: title, loss: "the \(kind.name)"))
    }
}

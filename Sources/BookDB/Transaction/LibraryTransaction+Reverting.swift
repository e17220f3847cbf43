import RecordStore
import StorageEngine

/// What a commit did to the books of a library, by records: works, authors, editions and entries, with their texts.
private struct BookReversals {
    /// A record before and after the commit. What the commit did not change is as it is now.
    struct Change {
        var before: [UInt8]?
        var after: [UInt8]?
        var isChanged = false
        /// By kind of text: what the commit did to it.
        var texts: [TextKind: (before: [UInt8]?, after: [UInt8]?)] = [:]

        var isInsertion: Bool { isChanged && before == nil }
        var isDeletion: Bool { isChanged && after == nil }
    }

    /// An edition has the work it belongs to in its key.
    struct Home: Equatable {
        let work: UInt64
        let record: [UInt8]
    }

    private(set) var works: [UInt64: Change] = [:]
    private(set) var authors: [UInt64: Change] = [:]
    private(set) var entries: [UInt64: Change] = [:]
    private(set) var editions: [UInt64: (before: Home?, after: Home?)] = [:]

    init(_ replaced: [ReplacedEntry]) {
        for entry in replaced {
            switch (entry.tree, entry.key.count) {
            case (LibraryTree.books, BookKey.byteCount):
                guard let key = BookKey(entry.key) else { continue }
                switch key.kind {
                case .work: Self.take(entry, &works)
                case .entry: Self.take(entry, &entries)
                case .edition(let id): take(entry, id.rawValue, of: key.work.rawValue)
                }
            case (LibraryTree.authors, 8): Self.take(entry, &authors)
            case (LibraryTree.texts, 9):
                guard let kind = TextKind(rawValue: entry.key[8]) else { continue }
                let id = entry.key.number(at: 0)
                if kind == .description {
                    works[id, default: Change()].texts[kind] = (entry.before, entry.after)
                } else {
                    entries[id, default: Change()].texts[kind] = (entry.before, entry.after)
                }
            default: continue
            }
        }
    }

    private mutating func take(_ entry: ReplacedEntry, _ edition: UInt64, of work: UInt64) {
        var change = editions[edition] ?? (nil, nil)
        if let before = entry.before { change.before = Home(work: work, record: before) }
        if let after = entry.after { change.after = Home(work: work, record: after) }
        editions[edition] = change
    }

    private static func take(_ entry: ReplacedEntry, _ changes: inout [UInt64: Change]) {
        let id = entry.key.number(at: 0)
        changes[id, default: Change()].before = entry.before
        changes[id, default: Change()].after = entry.after
        changes[id, default: Change()].isChanged = true
    }
}

extension LibraryTransaction {
    /// Takes back what a commit did to books; see `LibraryContents.revert`.
    mutating func revertBooks(
        _ replaced: [ReplacedEntry], _ stage: UndoStage, _ conflicts: inout [UndoConflict]
    ) throws(LibraryError) {
        guard !replaced.isEmpty else { return }
        try requireBooks()
        let reversals = BookReversals(replaced)
        switch stage {
        case .check:
            try checkDeletions(reversals, &conflicts)
            try putBack(reversals, isTried: true, &conflicts)
        case .putBack: try putBack(reversals, isTried: false, &conflicts)
        case .takeAway: try takeAway(reversals, &conflicts)
        }
    }

    // MARK: Putting back

    /// - Parameter isTried: whether only what stands against it is looked for.
    private mutating func putBack(
        _ reversals: BookReversals, isTried: Bool, _ conflicts: inout [UndoConflict]
    ) throws(LibraryError) {
        for (id, change) in reversals.authors.sorted(by: { $0.key < $1.key }) where !change.isInsertion {
            let current = try trees.author(ID(rawValue: id))
            guard
                let record = target(
                    of: change, try trees.recordBytes(id, in: LibraryTree.authors), (.author, id), &conflicts)
            else { continue }
            guard !isTried else { continue }
            let author = try decoded(record) { (bytes) throws(RecordProblem) in
                try Author.decode(bytes, id: ID(rawValue: id))
            }
            if let current { try replace(current, with: author) } else { _ = try insert(author, as: author.id) }
        }
        for (id, change) in reversals.works.sorted(by: { $0.key < $1.key }) where !change.isInsertion {
            try putBackWork(id, change, reversals, isTried: isTried, &conflicts)
        }
        for (id, change) in reversals.editions.sorted(by: { $0.key < $1.key }) {
            guard let before = change.before else { continue }
            try putBackEdition(id, before, change.after, reversals, isTried: isTried, &conflicts)
        }
        for (id, change) in reversals.entries.sorted(by: { $0.key < $1.key }) where !change.isInsertion {
            try putBackEntry(id, change, reversals, isTried: isTried, &conflicts)
        }
    }

    private mutating func putBackWork(
        _ id: UInt64, _ change: BookReversals.Change, _ reversals: BookReversals, isTried: Bool,
        _ conflicts: inout [UndoConflict]
    ) throws(LibraryError) {
        let current = try trees.work(ID(rawValue: id))
        let stored = try trees.recordBytes(.work(ID(rawValue: id)))
        let isOther = current.map { change.had(.description, otherThan: $0.description) } ?? false
        guard let record = target(of: change, stored, isOther: isOther, (.work, id), &conflicts) else { return }
        guard
            let description = text(
                .description, of: change, current.map(\.description) ?? nil, isThere: current != nil, (.work, id),
                &conflicts)
        else { return }
        var work = try decoded(record) { (bytes) throws(RecordProblem) in
            try Work.decode(bytes, id: ID(rawValue: id)).work
        }
        work.description = description.text
        for author in work.authors where reversals.authors[author.rawValue]?.isDeletion != true {
            guard try trees.author(author) == nil else { continue }
            conflicts.append(UndoConflict("work", id, "names the author \(author), who is not there any more"))
        }
        guard !isTried, conflicts.isEmpty else { return }
        if current == nil { _ = try insert(work, as: work.id) } else { try update(work) }
    }

    private mutating func putBackEdition(
        _ id: UInt64, _ before: BookReversals.Home, _ after: BookReversals.Home?, _ reversals: BookReversals,
        isTried: Bool, _ conflicts: inout [UndoConflict]
    ) throws(LibraryError) {
        let current = try trees.edition(ID(rawValue: id))
        var change = BookReversals.Change()
        (change.before, change.after, change.isChanged) = (before.record, after?.record, true)
        let stored = try storedEdition(id)?.record
        let isOther = current.map { $0.work.rawValue != before.work } ?? false
        guard let record = target(of: change, stored, isOther: isOther, (.edition, id), &conflicts) else { return }
        var home = before.work
        if let current, let after {
            // Who moved it since to another work means it to be there.
            if before.work == after.work {
                home = current.work.rawValue
            } else if current.work.rawValue != after.work, current.work.rawValue != before.work {
                conflicts.append(.changed("edition", id, fields: ["work"]))
            }
        }
        let isHomeBack = reversals.works[home]?.isDeletion == true
        if !isHomeBack, try trees.workRecord(ID(rawValue: home)) == nil {
            conflicts.append(
                UndoConflict("edition", id, "belongs to work \(ID<Work>(rawValue: home)), which is not there any more"))
        }
        guard !isTried, conflicts.isEmpty else { return }
        let edition = try decoded(record) { (bytes) throws(RecordProblem) in
            try Edition.decode(bytes, id: ID(rawValue: id), work: ID(rawValue: home))
        }
        if current == nil { _ = try insert(edition, as: edition.id) } else { try update(edition) }
    }

    private mutating func putBackEntry(
        _ id: UInt64, _ change: BookReversals.Change, _ reversals: BookReversals, isTried: Bool,
        _ conflicts: inout [UndoConflict]
    ) throws(LibraryError) {
        let current = try trees.entry(of: ID(rawValue: id))
        let stored = try trees.recordBytes(.entry(ID(rawValue: id)))
        let isOther =
            current.map { change.had(.notes, otherThan: $0.notes) || change.had(.review, otherThan: $0.review) }
            ?? false
        guard let record = target(of: change, stored, isOther: isOther, (.entry, id), &conflicts) else { return }
        guard
            let notes = text(
                .notes, of: change, current.map(\.notes) ?? nil, isThere: current != nil, (.entry, id), &conflicts),
            let review = text(
                .review, of: change, current.map(\.review) ?? nil, isThere: current != nil, (.entry, id), &conflicts)
        else { return }
        let isWorkBack = reversals.works[id]?.isDeletion == true
        if !isWorkBack, try trees.workRecord(ID(rawValue: id)) == nil {
            conflicts.append(UndoConflict("entry", id, "belongs to a work that is not there any more"))
        }
        guard !isTried, conflicts.isEmpty else { return }
        var entry = try decoded(record) { (bytes) throws(RecordProblem) in
            try UserLibraryEntry.decode(bytes, work: ID(rawValue: id)).entry
        }
        (entry.notes, entry.review) = (notes.text, review.text)
        try set(entry)
    }

    // MARK: Taking away

    /// Looks whether what the commit inserted is as it was left.
    private mutating func checkDeletions(
        _ reversals: BookReversals, _ conflicts: inout [UndoConflict]
    ) throws(LibraryError) {
        for (id, change) in reversals.authors.sorted(by: { $0.key < $1.key }) where change.isInsertion {
            guard let current = try trees.recordBytes(id, in: LibraryTree.authors) else { continue }
            if current != change.after { conflicts.append(.changed("author", id)) }
        }
        for (id, change) in reversals.works.sorted(by: { $0.key < $1.key }) where change.isInsertion {
            guard let current = try trees.recordBytes(.work(ID(rawValue: id))) else { continue }
            let description = try trees.text(.description, of: ID(rawValue: id))
            let isSame = current == change.after && hasText(change, .description, description)
            if !isSame { conflicts.append(.changed("work", id)) }
        }
        for (id, change) in reversals.editions.sorted(by: { $0.key < $1.key }) where change.before == nil {
            guard let current = try storedEdition(id) else { continue }
            if current != change.after { conflicts.append(.changed("edition", id)) }
        }
        for (id, change) in reversals.entries.sorted(by: { $0.key < $1.key }) where change.isInsertion {
            guard let current = try trees.recordBytes(.entry(ID(rawValue: id))) else { continue }
            let notes = try trees.text(.notes, of: ID(rawValue: id))
            let review = try trees.text(.review, of: ID(rawValue: id))
            let isSame = current == change.after && hasText(change, .notes, notes) && hasText(change, .review, review)
            if !isSame { conflicts.append(.changed("entry", id)) }
        }
    }

    private func storedEdition(_ id: UInt64) throws(LibraryError) -> BookReversals.Home? {
        guard let work = try trees.home(of: ID(rawValue: id)) else { return nil }
        return try trees.recordBytes(.edition(work, ID(rawValue: id)))
            .map { BookReversals.Home(work: work.rawValue, record: $0) }
    }

    private func hasText(_ change: BookReversals.Change, _ kind: TextKind, _ text: String?) -> Bool {
        (change.texts[kind]?.after).map { Array($0) } == text.map { Array($0.utf8) }
    }

    /// Deletes what the commit inserted, unless something that stays needs it.
    private mutating func takeAway(
        _ reversals: BookReversals, _ conflicts: inout [UndoConflict]
    ) throws(LibraryError) {
        let works = reversals.works.filter(\.value.isInsertion).keys.sorted()
        let authors = reversals.authors.filter(\.value.isInsertion).keys.sorted()
        let editions = reversals.editions.filter { $0.value.before == nil }.keys.sorted()
        for id in works {
            for edition in try trees.editions(of: ID(rawValue: id))
            where reversals.editions[edition.id.rawValue].map({ $0.before == nil }) != true {
                conflicts.append(
                    UndoConflict("edition", edition.id.rawValue, "is of work \(ID<Work>(rawValue: id)), which would go")
                )
            }
            if try trees.entryRecord(of: ID(rawValue: id)) != nil, reversals.entries[id]?.isInsertion != true {
                conflicts.append(UndoConflict("entry", id, "is of a work that would go"))
            }
        }
        let going = Set(works)
        for id in authors {
            for work in try trees.works(by: ID(rawValue: id)) where !going.contains(work.rawValue) {
                conflicts.append(
                    UndoConflict("work", work.rawValue, "names the author \(ID<Author>(rawValue: id)), who would go"))
            }
        }
        var records = works.map { LinkedRecord(target: .builtIn(.works), id: $0) }
        records += editions.map { LinkedRecord(target: .builtIn(.editions), id: $0) }
        records += authors.map { LinkedRecord(target: .builtIn(.authors), id: $0) }
        try appendLinks(to: records, &conflicts)
        guard conflicts.isEmpty else { return }
        for id in editions { try delete(ID<Edition>(rawValue: id)) }
        for (id, change) in reversals.entries where change.isInsertion { try deleteEntry(of: ID(rawValue: id)) }
        for id in works { try delete(ID<Work>(rawValue: id)) }
        for id in authors { try delete(ID<Author>(rawValue: id)) }
    }

    // MARK: Pieces

    /// The record to be written, without what it says of its texts; `nil` where nothing is to be done, or something stands against it.
    ///
    /// - Parameter isOther: whether what is there now has another text, or belongs to another work, than what was deleted.
    private func target(
        of change: BookReversals.Change, _ current: [UInt8]?, isOther: Bool = false,
        _ record: (schema: RecordSchema, id: UInt64),
        _ conflicts: inout [UndoConflict]
    ) -> [UInt8]? {
        let (kind, id) = (record.schema.name, record.id)
        // Only a text of it was changed.
        guard change.isChanged else {
            if current == nil { conflicts.append(.deleted(kind, id)) }
            return current
        }
        guard let before = change.before else { return nil }
        guard let after = change.after else {
            guard let current else { return before }
            if current != before || isOther { conflicts.append(.present(kind, id)) }
            return nil
        }
        guard let current else {
            conflicts.append(.deleted(kind, id))
            return nil
        }
        guard
            let reversal = try? FieldReversal(
                record.schema.withoutTexts(current), after: record.schema.withoutTexts(after),
                before: record.schema.withoutTexts(before))
        else {
            conflicts.append(.changed(kind, id))
            return nil
        }
        guard reversal.contested.isEmpty else {
            let names = reversal.contested.map { record.schema.field($0)?.name ?? "field \($0)" }
            conflicts.append(.changed(kind, id, fields: names))
            return nil
        }
        return reversal.bytes
    }

    /// The text that comes back; `nil` where a later change is in the way.
    private func text(
        _ kind: TextKind, of change: BookReversals.Change, _ current: String?, isThere: Bool,
        _ record: (schema: RecordSchema, id: UInt64), _ conflicts: inout [UndoConflict]
    ) -> (text: String?, kind: TextKind)? {
        guard let texts = change.texts[kind] else { return (current, kind) }
        let now = current.map { Array($0.utf8) }
        // With a record that comes back, the text does.
        if isThere, now != texts.after, now != texts.before {
            conflicts.append(.changed(record.schema.name, record.id, fields: [kind.name]))
            return nil
        }
        return (texts.before.map { String(decoding: $0, as: UTF8.self) }, kind)
    }

    private func decoded<Value>(
        _ record: [UInt8], _ body: (RawSpan) throws(RecordProblem) -> Value
    ) throws(LibraryError) -> Value {
        do throws(RecordProblem) {
            return try record.withBytes(body)
        } catch {
            throw .damaged("what a record was before cannot be read: \(error.description).")
        }
    }
}

extension BookReversals.Change {
    /// Whether a text was another before the commit; not where the commit did nothing to it.
    fileprivate func had(_ kind: TextKind, otherThan text: String?) -> Bool {
        texts[kind].map { $0.before != text.map { Array($0.utf8) } } ?? false
    }
}

extension RecordSchema {
    /// A record without the field that says which texts there are: those are compared one by one.
    fileprivate func withoutTexts(_ record: [UInt8]) -> [UInt8] {
        let tag = fields.first { $0.name == "texts" }?.tag
        return tag.map { record.without(tag: $0) } ?? record
    }
}

extension Array<UInt8> {
    /// The fields of a record but for those of a tag; the same bytes where they are none of a record.
    fileprivate func without(tag: UInt32) -> [UInt8] {
        withBytes { bytes in
            var kept: [UInt8] = []
            var cursor = RecordCursor()
            do throws(RecordProblem) {
                while let field = try cursor.next(in: bytes) {
                    if field.tag != tag { kept += bytes.copyBytes(field.range) }
                }
                return kept
            } catch {
                return self
            }
        }
    }
}

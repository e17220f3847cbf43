import RecordStore
import StorageEngine

/// Making lost authors anew: by the rows of works whose other authors are known, else by the index of names.
extension BookRepair {
    mutating func mendAuthors() async throws {
        // An author found in one work may be what is needed to find another.
        var unnamed = missingRecords.authors
        var wasFound = true
        while wasFound, !unnamed.isEmpty {
            wasFound = false
            for (id, works) in unnamed.sorted(by: { $0.key < $1.key }) {
                guard let name = try await nameByRows(id, works) else { continue }
                try await make(Author(name), id, loss: "its sort name, if it had one of its own")
                unnamed[id] = nil
                wasFound = true
            }
        }
        for (id, works) in unnamed.sorted(by: { $0.key < $1.key }) {
            let folded = evidence.names[id].map { String(decoding: $0, as: UTF8.self) } ?? ""
            guard !works.isEmpty else {
                report.items.append(
                    LostItem(
                        .author, "\(id)", title: folded.isEmpty ? nil : folded, loss: "all of it; no work names them",
                        bytes: missingRecords.bytes(of: .author, id.rawValue)))
                continue
            }
            if folded.isEmpty {
                try await make(Author("Unknown author \(id)", sortName: "Unknown author \(id)"), id, loss: "the name")
            } else {
                try await make(Author(folded), id, loss: "the name, but for what it is looked up by")
            }
        }
        for (id, name) in evidence.names.sorted(by: { $0.key < $1.key }) where missingRecords.authors[id] == nil {
            report.items.append(
                LostItem(
                    .author, "\(id)", title: String(decoding: name, as: UTF8.self),
                    loss: "all of it; no work names them"))
        }
    }

    private mutating func make(_ author: Author, _ id: ID<Author>, loss: String) async throws {
        var author = author
        author.id = id
        identifiers.note(id)
        var batch = ChangeBatch(database)
        try await batch.put(author.encodedRecord(), forKey: .bigEndian(id.rawValue), in: LibraryTree.authors)
        try await batch.finish()
        report.items.append(
            LostItem(
                .author, "\(id)", title: author.name, loss: loss, isMadeAnew: true,
                bytes: missingRecords.bytes(of: .author, id.rawValue)))
    }

    /// What a row says of the name that the index knows, or when every other author of its work is known.
    private func nameByRows(_ id: ID<Author>, _ works: [ID<Work>]) async throws -> String? {
        let version = database.version
        for work in works {
            guard let row = evidence.rows[work] else { continue }
            if let folded = evidence.names[id], let name = AuthorLine(row.authors).name(foldedTo: folded) {
                return name
            }
            guard let authors = try version.workRecord(work)?.work.authors else { continue }
            var names: [String?] = []
            for author in authors { names.append(author == id ? nil : try version.author(author)?.name ?? "") }
            guard !names.contains("") else { continue }
            let isInOrder = !missingRecords.works.contains(work)
            if let name = AuthorLine(row.authors).name(missingFrom: names, isInOrder: isInOrder) { return name }
        }
        return nil
    }
}

/// The authors of a work as its row shows them: names with a comma and a blank between them, which names may hold, too.
struct AuthorLine {
    private let text: String

    init(_ text: String) { self.text = text }

    /// The stretch of the line that the index of names knows as `folded`.
    func name(foldedTo folded: [UInt8]) -> String? {
        let pieces = text.split(separator: ", ", omittingEmptySubsequences: false)
        for first in pieces.indices {
            for last in first..<pieces.count {
                let name = pieces[first...last].joined(separator: ", ")
                if LibraryKey.authorNamePrefix(name) == folded + [LibraryKey.separator] { return name }
            }
        }
        return nil
    }

    /// The one name that is `nil`, when the others leave exactly one text for it.
    ///
    /// - Parameter isInOrder: the names are in the order of the line; else the missing one may stand anywhere.
    func name(missingFrom names: [String?], isInOrder: Bool) -> String? {
        // A line that was cut does not say how its last name goes on.
        guard names.count(where: { $0 == nil }) == 1, !text.hasSuffix("…") else { return nil }
        let known = names.compactMap { $0 }
        let places = isInOrder ? [names.firstIndex(of: nil) ?? 0] : Array(0...known.count)
        for place in places {
            let head = known[..<place].map { $0 + ", " }.joined()
            let tail = known[place...].map { ", " + $0 }.joined()
            guard text.hasPrefix(head), text.dropFirst(head.count).hasSuffix(tail) else { continue }
            let name = String(text.dropFirst(head.count).dropLast(tail.count))
            if !name.isBlank { return name }
        }
        return nil
    }
}

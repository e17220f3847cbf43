import CLMDB

typealias LMDBPeer = KeyValuePeer<LMDBStore>
typealias RocksDBPeer = KeyValuePeer<RocksDBStore>

/// A store of keys and values with the list in title order, a second copy of it by status, kept counts, records by number, and a
/// scan for searches, as one would write it.
final class KeyValuePeer<Store: KeyValueStore>: BlockingPeer {
    static var name: String { Store.name }

    private let store: Store

    init(path: String, access: Access) throws { store = try Store(path: path, access: access) }

    // MARK: Lists

    private func page(
        _ table: KeyValueTable, from key: [UInt8], prefix: [UInt8] = [], skipping offset: Int = 0
    ) throws -> [ListRow] {
        var rows: [ListRow] = []
        rows.reserveCapacity(50)
        var skipped = 0
        try store.read { reader in
            try reader.walk(table, from: key) { key, value in
                guard key.starts(with: prefix) else { return false }
                if skipped < offset {
                    skipped += 1
                } else {
                    rows.append(ListRow(value))
                }
                return rows.count < 50
            }
        }
        return rows
    }

    func page(offset: Int) throws -> [ListRow] { try page(.list, from: [], skipping: offset) }

    func page(after anchor: Anchor) throws -> [ListRow] { try page(.list, from: (anchor.place + 1).key) }

    func page(status: Int, offset: Int) throws -> [ListRow] {
        try page(.status, from: [UInt8(status)], prefix: [UInt8(status)], skipping: offset)
    }

    /// The keys are in the order of the places: the rows are one stretch of the list.
    func page(prefix: String, key: [UInt8]) throws -> [ListRow] {
        var places: [Int64] = []
        var rows: [ListRow] = []
        try store.read { reader in
            try reader.walk(.key, from: key) { found, _ in
                guard found.starts(with: key) else { return false }
                places.append(found.trailingPlace)
                return places.count < 50
            }
            guard let first = places.first else { return }
            rows.reserveCapacity(places.count)
            try reader.walk(.list, from: first.key) { _, value in
                rows.append(ListRow(value))
                return rows.count < places.count
            }
        }
        return rows
    }

    func statusCounts() throws -> [Int] {
        var counts: [Int] = []
        try store.read { reader in
            try reader.walk(.count, from: []) { _, value in
                counts.append(value.loadUnaligned(as: Int.self))
                return true
            }
        }
        return counts
    }

    // MARK: Searching

    func search(_ needle: String) throws -> [ListRow] {
        var rows: [ListRow] = []
        try store.read { reader in
            var places: [[UInt8]] = []
            try scan(reader, needle) { key in
                places.append(Array(key))
                return places.count < 50
            }
            for place in places { try reader.get(.list, place) { rows.append(ListRow($0)) } }
        }
        return rows
    }

    func searchCount(_ needle: String) async throws -> Int {
        var count = 0
        try store.read { reader in
            try scan(reader, needle) { _ in
                count += 1
                return true
            }
        }
        return count
    }

    private func scan(_ reader: Store.Reader, _ needle: String, _ body: (UnsafeRawBufferPointer) -> Bool) throws {
        let bytes = Array(needle.utf8)
        try reader.walk(.text, from: []) { key, value in
            let isHit = bytes.withUnsafeBytes {
                memmem(value.baseAddress!, value.count, $0.baseAddress!, $0.count) != nil
            }
            return isHit ? body(key) : true
        }
    }

    // MARK: Records

    func fullWork(_ id: Int64) throws -> FullWork? {
        try store.read { reader in
            guard let work = try reader.get(.work, id.key, WorkRecord.init) else { return nil }
            let authors = try work.authors.compactMap { try reader.get(.author, $0.key, AuthorRecord.init) }
            var editions: [EditionRecord] = []
            try reader.walk(.edition, from: id.key) { key, value in
                guard key.starts(with: id.key) else { return false }
                editions.append(EditionRecord(value))
                return true
            }
            return FullWork(
                work: work, authors: authors, editions: editions,
                entry: try reader.get(.entry, id.key, EntryRecord.init))
        }
    }

    // MARK: Writing

    private func put(_ books: [Book], durably: Bool) throws {
        try store.write(durably: durably) { batch in
            var added: [Int: Int] = [:]
            for book in books {
                try put(batch, book.row, at: book.place, book.key, book.text)
                for author in book.newAuthors { try batch.put(.author, author.id.key, author.packed) }
                try batch.put(.work, book.work.id.key, book.work.packed)
                for edition in book.editions {
                    try batch.put(.edition, edition.work.key + edition.id.key, edition.packed)
                }
                if let entry = book.entry { try batch.put(.entry, entry.work.key, entry.packed) }
                added[book.row.status, default: 0] += 1
            }
            for (status, count) in added { try batch.add(.count, [UInt8(status)], count) }
        }
    }

    private func put(_ batch: Store.Batch, _ row: ListRow, at place: Int64, _ key: [UInt8], _ text: String) throws {
        let bytes = row.bytes
        try batch.put(.list, place.key, bytes)
        try batch.put(.status, [UInt8(row.status)] + place.key, bytes)
        try batch.put(.key, key + place.key, [])
        try batch.put(.place, row.id.key, place.key + key)
        try batch.put(.text, place.key, Array(text.utf8))
    }

    func put(_ book: Book) throws { try put([book], durably: true) }

    /// What is read before it is changed has one writer here.
    func rename(_ changes: [Renaming], durably: Bool) async throws {
        let old = try store.read { reader in
            try changes.map { change in
                guard let place = try reader.get(.place, change.id.key, { Array($0) }),
                    let row = try reader.get(.list, Array(place[..<8]), { ListRow($0) }),
                    let work = try reader.get(.work, change.id.key, WorkRecord.init)
                else { throw Failure("no work \(change.id)") }
                return (place: Array(place[..<8]), key: Array(place[8...]), row: row, work: work)
            }
        }
        try store.write(durably: durably) { batch in
            for (change, old) in zip(changes, old) {
                try batch.delete(.list, old.place)
                try batch.delete(.status, [UInt8(old.row.status)] + old.place)
                try batch.delete(.key, old.key + old.place)
                try batch.delete(.text, old.place)
                var (row, work) = (old.row, old.work)
                row.title = change.title
                work.title = change.title
                try put(batch, row, at: change.place, change.key, change.text)
                try batch.put(.work, work.id.key, work.packed)
            }
        }
    }

    func importBooks(_ file: BookFile) async throws {
        try file.forEachBatch { books, _ in try put(books, durably: false) }
        try store.flush()
    }

    func compact() async throws { try store.compact() }
}

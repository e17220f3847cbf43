import CLMDB

typealias LMDBPeer = KeyValuePeer<LMDBStore>
typealias RocksDBPeer = KeyValuePeer<RocksDBStore>

/// A store of keys and values as one would write it for this list: the rows in title order, a second copy of them by status, kept
/// counts, a scan for searches, and each work with its authors, editions and entry as one value.
///
/// An author who is renamed would have to be renamed in each of the works.
final class KeyValuePeer<Store: KeyValueStore>: BlockingPeer {
    static var name: String { Store.name }

    let store: Store

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
        try store.read { try $0.get(.work, id.key, FullWork.init) }
    }

    // MARK: Writing

    /// - Parameter isAfterAll: whether the books come in title order, and file after those in the store.
    private func put(_ books: [Book], _ durability: WriteDurability, isAfterAll: Bool = false) throws {
        try store.write(durability) { batch in
            var added: [Int: Int] = [:]
            for book in books {
                let put = isAfterAll ? batch.append : batch.put
                try put(.list, book.place.key, book.row.bytes)
                try put(.key, book.key + book.place.key, [])
                try put(.text, book.place.key, Array(book.text.utf8))
                added[book.row.status, default: 0] += 1
            }
            for book in books.sorted(by: { ($0.row.status, $0.place) < ($1.row.status, $1.place) }) {
                try batch.put(.status, [UInt8(book.row.status)] + book.place.key, book.row.bytes)
            }
            for book in books.sorted(by: { $0.row.id < $1.row.id }) {
                try batch.put(.place, book.row.id.key, book.place.key + book.key)
                try batch.put(.work, book.row.id.key, book.full.packed)
            }
            for (status, count) in added { try batch.add(.count, [UInt8(status)], count) }
        }
    }

    func put(_ book: Book) throws { try put([book], .flushed) }

    /// What is read before it is changed has one writer here.
    func rename(_ changes: [Renaming], durably: Bool) async throws {
        let old = try store.read { reader in
            try changes.map { change in
                guard let place = try reader.get(.place, change.id.key, { Array($0) }),
                    let row = try reader.get(.list, Array(place[..<8]), { ListRow($0) }),
                    let full = try reader.get(.work, change.id.key, FullWork.init)
                else { throw Failure("no work \(change.id)") }
                return (place: Array(place[..<8]), key: Array(place[8...]), row: row, full: full)
            }
        }
        try store.write(durably ? .flushed : .later) { batch in
            for (change, old) in zip(changes, old) {
                let status = [UInt8(old.row.status)]
                try batch.delete(.list, old.place)
                try batch.delete(.status, status + old.place)
                try batch.delete(.key, old.key + old.place)
                try batch.delete(.text, old.place)
                var (row, full) = (old.row, old.full)
                row.title = change.title
                full.work.title = change.title
                try batch.put(.list, change.place.key, row.bytes)
                try batch.put(.status, status + change.place.key, row.bytes)
                try batch.put(.key, change.key + change.place.key, [])
                try batch.put(.text, change.place.key, Array(change.text.utf8))
                try batch.put(.place, change.id.key, change.place.key + change.key)
                try batch.put(.work, change.id.key, full.packed)
            }
        }
    }

    /// Each batch is sorted for each table. In an empty store the tables by title are appended to.
    func importBooks(_ file: BookFile) async throws {
        let isEmpty = try page(offset: 0).isEmpty
        try file.forEachBatch { books, _ in try put(books, .load, isAfterAll: isEmpty) }
        try store.flush()
    }

    func compact() async throws { try store.compact() }
}

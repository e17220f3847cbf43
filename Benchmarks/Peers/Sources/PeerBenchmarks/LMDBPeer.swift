import CLMDB
import Foundation

/// LMDB with the list in title order, a second copy of it by status, kept counts, and a scan for searches, as one would write it.
final class LMDBPeer: Peer {
    static let name = "LMDB"

    struct Failure: Error { let message: String }

    private let environment: OpaquePointer
    private var list: MDB_dbi = 0
    private var byStatus: MDB_dbi = 0
    private var byID: MDB_dbi = 0
    private var counts: MDB_dbi = 0
    private var texts: MDB_dbi = 0

    init(path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var handle: OpaquePointer?
        try check(mdb_env_create(&handle))
        guard let handle else { throw Failure(message: "no environment") }
        environment = handle
        try check(mdb_env_set_maxdbs(handle, 8))
        try check(mdb_env_set_mapsize(handle, 16 << 30))
        try check(mdb_env_open(handle, path, 0, 0o644))
        try write { transaction in
            try check(mdb_dbi_open(transaction, "list", UInt32(MDB_CREATE), &list))
            try check(mdb_dbi_open(transaction, "status", UInt32(MDB_CREATE), &byStatus))
            try check(mdb_dbi_open(transaction, "id", UInt32(MDB_CREATE), &byID))
            try check(mdb_dbi_open(transaction, "counts", UInt32(MDB_CREATE), &counts))
            try check(mdb_dbi_open(transaction, "text", UInt32(MDB_CREATE), &texts))
        }
    }

    deinit { mdb_env_close(environment) }

    static func fill(path: String, with books: [Book]) throws {
        try LMDBPeer(path: path).insert(books)
    }

    // MARK: Transactions

    private func write<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(environment, nil, 0, &transaction))
        guard let transaction else { throw Failure(message: "no transaction") }
        do {
            let result = try body(transaction)
            try check(mdb_txn_commit(transaction))
            return result
        } catch {
            mdb_txn_abort(transaction)
            throw error
        }
    }

    /// Walks entries from a key on until `body` says no.
    private func read(
        _ database: MDB_dbi, from key: [UInt8], _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws {
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
        defer { mdb_txn_abort(transaction) }
        var cursor: OpaquePointer?
        try check(mdb_cursor_open(transaction, database, &cursor))
        defer { mdb_cursor_close(cursor) }
        var found = MDB_val()
        var value = MDB_val()
        var status = withValue(key) { start -> Int32 in
            found = start
            return mdb_cursor_get(cursor, &found, &value, key.isEmpty ? MDB_FIRST : MDB_SET_RANGE)
        }
        while status == 0 {
            let keyBytes = UnsafeRawBufferPointer(start: found.mv_data, count: found.mv_size)
            let valueBytes = UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
            guard body(keyBytes, valueBytes) else { return }
            status = mdb_cursor_get(cursor, &found, &value, MDB_NEXT)
        }
    }

    // MARK: Reading

    private func page(_ database: MDB_dbi, from key: [UInt8], prefix: [UInt8] = [], skipping offset: Int) throws
        -> [ListRow]
    {
        var rows: [ListRow] = []
        rows.reserveCapacity(50)
        var skipped = 0
        try read(database, from: key) { key, value in
            guard key.prefix(prefix.count).elementsEqual(prefix) else { return false }
            if skipped < offset {
                skipped += 1
            } else {
                rows.append(ListRow(value))
            }
            return rows.count < 50
        }
        return rows
    }

    func page(offset: Int) throws -> [ListRow] { try page(list, from: [], skipping: offset) }

    func page(after row: (place: Int64, id: Int64)) throws -> [ListRow] {
        try page(list, from: bigEndian(row.place + 1), skipping: 0)
    }

    func page(status: Int, offset: Int) throws -> [ListRow] {
        try page(byStatus, from: [UInt8(status)], prefix: [UInt8(status)], skipping: offset)
    }

    func statusCounts() throws -> [Int] {
        var result: [Int] = []
        try read(counts, from: []) { _, value in
            result.append(value.loadUnaligned(as: Int.self))
            return true
        }
        return result
    }

    func search(_ needle: String) throws -> [ListRow] {
        var places: [[UInt8]] = []
        try scan(needle) { key in
            places.append(Array(key))
            return places.count < 50
        }
        var rows: [ListRow] = []
        for place in places {
            try read(list, from: place) { _, value in
                rows.append(ListRow(value))
                return false
            }
        }
        return rows
    }

    func searchCount(_ needle: String) throws -> Int {
        var count = 0
        try scan(needle) { _ in
            count += 1
            return true
        }
        return count
    }

    private func scan(_ needle: String, _ body: (UnsafeRawBufferPointer) -> Bool) throws {
        let bytes = Array(needle.utf8)
        try read(texts, from: []) { key, value in
            let isHit = bytes.withUnsafeBytes { needle in
                memmem(value.baseAddress!, value.count, needle.baseAddress!, needle.count) != nil
            }
            return isHit ? body(key) : true
        }
    }

    // MARK: Writing

    func insert(_ books: [Book]) throws {
        try write { transaction in
            var added: [Int: Int] = [:]
            for book in books {
                let row = ListRow.bytes(book)
                try put(transaction, list, bigEndian(book.place), row)
                try put(transaction, byStatus, [UInt8(book.status)] + bigEndian(book.place), row)
                try put(transaction, byID, bigEndian(book.id), bigEndian(book.place))
                try put(transaction, texts, bigEndian(book.place), Array(book.text.utf8))
                added[book.status, default: 0] += 1
            }
            for (status, count) in added { try add(transaction, status, count) }
        }
    }

    func rename(_ id: Int64, to title: String, place: Int64) throws {
        try write { transaction in
            guard let old = try get(transaction, byID, bigEndian(id)), let row = try get(transaction, list, old) else {
                return
            }
            var book = row.withUnsafeBytes { ListRow($0) }.book(place: place)
            try delete(transaction, list, old)
            try delete(transaction, byStatus, [UInt8(book.status)] + old)
            try delete(transaction, texts, old)
            book.title = title
            let bytes = ListRow.bytes(book)
            try put(transaction, list, bigEndian(place), bytes)
            try put(transaction, byStatus, [UInt8(book.status)] + bigEndian(place), bytes)
            try put(transaction, byID, bigEndian(id), bigEndian(place))
            try put(transaction, texts, bigEndian(place), Array((title + "\n" + book.authors).lowercased().utf8))
        }
    }

    private func add(_ transaction: OpaquePointer, _ status: Int, _ count: Int) throws {
        let old = try get(transaction, counts, [UInt8(status)])?.withUnsafeBytes { $0.loadUnaligned(as: Int.self) } ?? 0
        try put(transaction, counts, [UInt8(status)], withUnsafeBytes(of: old + count) { Array($0) })
    }

    private func put(_ transaction: OpaquePointer, _ database: MDB_dbi, _ key: [UInt8], _ value: [UInt8]) throws {
        try withValue(key) { key in
            try withValue(value) { value in
                var (key, value) = (key, value)
                try check(mdb_put(transaction, database, &key, &value, 0))
            }
        }
    }

    private func get(_ transaction: OpaquePointer, _ database: MDB_dbi, _ key: [UInt8]) throws -> [UInt8]? {
        try withValue(key) { key in
            var key = key
            var value = MDB_val()
            let status = mdb_get(transaction, database, &key, &value)
            if status == MDB_NOTFOUND { return nil }
            try check(status)
            return Array(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
        }
    }

    private func delete(_ transaction: OpaquePointer, _ database: MDB_dbi, _ key: [UInt8]) throws {
        try withValue(key) { key in
            var key = key
            try check(mdb_del(transaction, database, &key, nil))
        }
    }
}

private func check(_ status: Int32) throws {
    if status != 0 { throw LMDBPeer.Failure(message: String(cString: mdb_strerror(status))) }
}

private func withValue<Result>(_ bytes: [UInt8], _ body: (MDB_val) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBytes { buffer in
        try body(MDB_val(mv_size: buffer.count, mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress)))
    }
}

private func bigEndian(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

/// Fixed fields, then two texts, as tight as BookDB's own row.
extension ListRow {
    init(_ bytes: UnsafeRawBufferPointer) {
        id = bytes.loadUnaligned(as: Int64.self)
        let year = Int(bytes.loadUnaligned(fromByteOffset: 8, as: Int16.self))
        self.year = year == Int(Int16.min) ? nil : year
        status = Int(bytes[10])
        rating = bytes[11] == 0 ? nil : Int(bytes[11])
        let titleCount = Int(bytes.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
        let authorsCount = Int(bytes.loadUnaligned(fromByteOffset: 14, as: UInt16.self))
        title = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[16..<16 + titleCount]), as: UTF8.self)
        authors = String(
            decoding: UnsafeRawBufferPointer(rebasing: bytes[16 + titleCount..<16 + titleCount + authorsCount]),
            as: UTF8.self)
    }

    static func bytes(_ book: Book) -> [UInt8] {
        var bytes: [UInt8] = []
        withUnsafeBytes(of: book.id) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: Int16(book.year ?? Int(Int16.min))) { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(book.status))
        bytes.append(UInt8(book.rating ?? 0))
        withUnsafeBytes(of: UInt16(book.title.utf8.count)) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt16(book.authors.utf8.count)) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: book.title.utf8)
        bytes.append(contentsOf: book.authors.utf8)
        bytes.append(contentsOf: (book.coverURL ?? "").utf8)
        return bytes
    }

    func book(place: Int64) -> Book {
        Book(
            place: place, id: id, title: title, authors: authors, coverURL: nil, year: year, status: status,
            rating: rating, text: "")
    }
}

import CLMDB
import Foundation

/// LMDB: a database for each table, flushed at each commit, read through its map.
final class LMDBStore: KeyValueStore, @unchecked Sendable {
    static let name = "LMDB"

    private let path: String
    private let environment: OpaquePointer
    private var databases: [MDB_dbi] = []

    init(path: String, access: Access) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        var handle: OpaquePointer?
        try check(mdb_env_create(&handle))
        guard let handle else { throw Failure("LMDB: no environment") }
        environment = handle
        try check(mdb_env_set_maxdbs(handle, UInt32(KeyValueTable.allCases.count)))
        try check(mdb_env_set_mapsize(handle, 64 << 30))
        // With reading ahead the first page of a file that is not cached takes 16 ms instead of 0.4. Without it a compaction of such
        // a file takes ten times as long; those that are measured are cached.
        let flags = UInt32(MDB_NORDAHEAD) | (access == .read ? UInt32(MDB_RDONLY) : 0)
        try check(mdb_env_open(handle, path, flags, 0o644))
        try transaction(access == .read ? UInt32(MDB_RDONLY) : 0) { transaction in
            for table in KeyValueTable.allCases {
                var database: MDB_dbi = 0
                try check(
                    mdb_dbi_open(transaction, "\(table)", access == .read ? 0 : UInt32(MDB_CREATE), &database))
                databases.append(database)
            }
        }
    }

    deinit { mdb_env_close(environment) }

    /// Commits what `body` does; for a transaction that only reads, that keeps the tables it opened.
    private func transaction(_ flags: UInt32 = 0, _ body: (OpaquePointer) throws -> Void) throws {
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(environment, nil, flags, &transaction))
        guard let transaction else { throw Failure("LMDB: no transaction") }
        do {
            try body(transaction)
        } catch {
            mdb_txn_abort(transaction)
            throw error
        }
        try check(mdb_txn_commit(transaction))
    }

    func read<Result>(_ body: (LMDBReader) throws -> Result) throws -> Result {
        var transaction: OpaquePointer?
        try check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
        guard let transaction else { throw Failure("LMDB: no transaction") }
        defer { mdb_txn_abort(transaction) }
        return try body(LMDBReader(transaction: transaction, databases: databases))
    }

    func write(_ durability: WriteDurability, _ body: (LMDBBatch) throws -> Void) throws {
        try check(mdb_env_set_flags(environment, UInt32(MDB_NOSYNC), durability == .flushed ? 0 : 1))
        try transaction { try body(LMDBBatch(transaction: $0, databases: databases)) }
    }

    func flush() throws { try check(mdb_env_sync(environment, 1)) }

    /// A copy without free pages takes the place of the file; this process goes on with the old one.
    func compact() throws {
        let copy = path + "/compacted"
        let file = open(copy, O_RDWR | O_CREAT | O_TRUNC, 0o644)
        guard file >= 0 else { throw Failure("cannot write \(copy)") }
        defer { close(file) }
        try check(mdb_env_copyfd2(environment, file, UInt32(MDB_CP_COMPACT)))
        guard fsync(file) == 0, rename(copy, path + "/data.mdb") == 0 else { throw Failure("cannot replace data.mdb") }
    }
}

struct LMDBReader: KeyValueReader {
    fileprivate let transaction: OpaquePointer
    fileprivate let databases: [MDB_dbi]

    func get<Result>(
        _ table: KeyValueTable, _ key: [UInt8], _ body: (UnsafeRawBufferPointer) -> Result
    ) throws -> Result? {
        var value = MDB_val()
        let status = lend(key) { key in
            var key = key
            return mdb_get(transaction, databases[table], &key, &value)
        }
        if status == MDB_NOTFOUND { return nil }
        try check(status)
        return body(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
    }

    func walk(
        _ table: KeyValueTable, from key: [UInt8], _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws {
        var cursor: OpaquePointer?
        try check(mdb_cursor_open(transaction, databases[table], &cursor))
        defer { mdb_cursor_close(cursor) }
        var found = MDB_val()
        var value = MDB_val()
        var status = lend(key) { start -> Int32 in
            found = start
            return mdb_cursor_get(cursor, &found, &value, key.isEmpty ? MDB_FIRST : MDB_SET_RANGE)
        }
        while status == 0 {
            let keyBytes = UnsafeRawBufferPointer(start: found.mv_data, count: found.mv_size)
            let valueBytes = UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
            guard body(keyBytes, valueBytes) else { return }
            status = mdb_cursor_get(cursor, &found, &value, MDB_NEXT)
        }
        if status != MDB_NOTFOUND { try check(status) }
    }
}

struct LMDBBatch: KeyValueBatch {
    fileprivate let transaction: OpaquePointer
    fileprivate let databases: [MDB_dbi]

    func put(_ table: KeyValueTable, _ key: [UInt8], _ value: [UInt8]) throws { try put(table, key, value, 0) }

    func append(_ table: KeyValueTable, _ key: [UInt8], _ value: [UInt8]) throws {
        try put(table, key, value, UInt32(MDB_APPEND))
    }

    private func put(_ table: KeyValueTable, _ key: [UInt8], _ value: [UInt8], _ flags: UInt32) throws {
        try lend(key) { key in
            try lend(value) { value in
                var (key, value) = (key, value)
                try check(mdb_put(transaction, databases[table], &key, &value, flags))
            }
        }
    }

    func delete(_ table: KeyValueTable, _ key: [UInt8]) throws {
        try lend(key) { key in
            var key = key
            try check(mdb_del(transaction, databases[table], &key, nil))
        }
    }

    func add(_ table: KeyValueTable, _ key: [UInt8], _ number: Int) throws {
        let reader = LMDBReader(transaction: transaction, databases: databases)
        let old = try reader.get(table, key) { $0.loadUnaligned(as: Int.self) } ?? 0
        try put(table, key, withUnsafeBytes(of: old + number) { Array($0) })
    }
}

extension [MDB_dbi] {
    fileprivate subscript(table: KeyValueTable) -> MDB_dbi { self[Int(table.rawValue) - 1] }
}

private func check(_ status: Int32) throws {
    if status != 0 { throw Failure("LMDB: " + String(cString: mdb_strerror(status))) }
}

private func lend<Result>(_ bytes: [UInt8], _ body: (MDB_val) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBytes { buffer in
        try body(MDB_val(mv_size: buffer.count, mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress)))
    }
}

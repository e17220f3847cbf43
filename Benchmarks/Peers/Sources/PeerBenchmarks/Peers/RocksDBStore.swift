import CRocksDB
import Foundation

/// RocksDB: the tables are stretches of one key space; blocks are checked, compressed with LZ4 and cached, and have bloom filters.
final class RocksDBStore: KeyValueStore, @unchecked Sendable {
    static let name = "RocksDB"

    private let database: OpaquePointer
    private let options: OpaquePointer
    private let durable = rocksdb_writeoptions_create()!
    private let logged = rocksdb_writeoptions_create()!
    private let unlogged = rocksdb_writeoptions_create()!

    init(path: String, access: Access) throws {
        options = Self.options()
        rocksdb_writeoptions_set_sync(durable, 1)
        rocksdb_writeoptions_disable_WAL(unlogged, 1)
        let options = options
        database = try checked { failure in
            access == .read
                ? rocksdb_open_for_read_only(options, path, 0, failure) : rocksdb_open(options, path, failure)
        }
    }

    deinit {
        rocksdb_close(database)
        rocksdb_options_destroy(options)
        rocksdb_writeoptions_destroy(durable)
        rocksdb_writeoptions_destroy(logged)
        rocksdb_writeoptions_destroy(unlogged)
    }

    private static func options() -> OpaquePointer {
        let options = rocksdb_options_create()!
        rocksdb_options_set_create_if_missing(options, 1)
        rocksdb_options_increase_parallelism(options, Int32(ProcessInfo.processInfo.activeProcessorCount))
        rocksdb_options_optimize_level_style_compaction(options, 256 << 20)
        rocksdb_options_set_compression(options, Int32(rocksdb_lz4_compression))
        rocksdb_options_set_uint64add_merge_operator(options)
        rocksdb_options_set_keep_log_file_num(options, 1)
        // Opening looks into no more files than it must.
        rocksdb_options_set_skip_stats_update_on_db_open(options, 1)
        rocksdb_options_set_skip_checking_sst_file_sizes_on_db_open(options, 1)
        let blocks = rocksdb_block_based_options_create()!
        rocksdb_block_based_options_set_filter_policy(blocks, rocksdb_filterpolicy_create_bloom_full(10))
        rocksdb_block_based_options_set_block_cache(blocks, rocksdb_cache_create_lru(256 << 20))
        rocksdb_block_based_options_set_format_version(blocks, 5)
        rocksdb_options_set_block_based_table_factory(options, blocks)
        return options
    }

    func read<Result>(_ body: (RocksDBReader) throws -> Result) throws -> Result {
        let snapshot = rocksdb_create_snapshot(database)
        let options = rocksdb_readoptions_create()!
        rocksdb_readoptions_set_snapshot(options, snapshot)
        defer {
            rocksdb_readoptions_destroy(options)
            rocksdb_release_snapshot(database, snapshot)
        }
        return try body(RocksDBReader(database: database, options: options))
    }

    func write(_ durability: WriteDurability, _ body: (RocksDBBatch) throws -> Void) throws {
        let batch = RocksDBBatch(batch: rocksdb_writebatch_create())
        defer { rocksdb_writebatch_destroy(batch.batch) }
        try body(batch)
        let options =
            switch durability {
            case .flushed: durable
            case .later: logged
            case .load: unlogged
            }
        try checked { rocksdb_write(database, options, batch.batch, $0) }
    }

    /// Makes what is only in memory and in the log a table, which is durable.
    func flush() throws {
        let options = rocksdb_flushoptions_create()
        defer { rocksdb_flushoptions_destroy(options) }
        rocksdb_flushoptions_set_wait(options, 1)
        try checked { rocksdb_flush(database, options, $0) }
    }

    /// Also what is on the last level already.
    func compact() throws {
        try flush()
        let options = rocksdb_compactoptions_create()
        defer { rocksdb_compactoptions_destroy(options) }
        rocksdb_compactoptions_set_bottommost_level_compaction(options, 2)
        rocksdb_compact_range_opt(database, options, nil, 0, nil, 0)
    }
}

struct RocksDBReader: KeyValueReader {
    fileprivate let database: OpaquePointer
    fileprivate let options: OpaquePointer

    func get<Result>(
        _ table: KeyValueTable, _ key: [UInt8], _ body: (UnsafeRawBufferPointer) -> Result
    ) throws -> Result? {
        let value = try lend([table.rawValue] + key) { bytes, count in
            try checked { rocksdb_get_pinned(database, options, bytes, count, $0) }
        }
        guard let value else { return nil }
        defer { rocksdb_pinnableslice_destroy(value) }
        var count = 0
        let bytes = rocksdb_pinnableslice_value(value, &count)
        return body(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    func walk(
        _ table: KeyValueTable, from key: [UInt8], _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws {
        let iterator = rocksdb_create_iterator(database, options)
        defer { rocksdb_iter_destroy(iterator) }
        lend([table.rawValue] + key) { rocksdb_iter_seek(iterator, $0, $1) }
        while rocksdb_iter_valid(iterator) != 0 {
            var count = 0
            let key = UnsafeRawBufferPointer(start: rocksdb_iter_key(iterator, &count), count: count)
            guard key.first == table.rawValue else { return }
            let value = UnsafeRawBufferPointer(start: rocksdb_iter_value(iterator, &count), count: count)
            guard body(UnsafeRawBufferPointer(rebasing: key.dropFirst()), value) else { return }
            rocksdb_iter_next(iterator)
        }
        try checked { rocksdb_iter_get_error(iterator, $0) }
    }
}

struct RocksDBBatch: KeyValueBatch {
    fileprivate let batch: OpaquePointer?

    func put(_ table: KeyValueTable, _ key: [UInt8], _ value: [UInt8]) {
        lend([table.rawValue] + key) { key, keyCount in
            lend(value) { value, valueCount in rocksdb_writebatch_put(batch, key, keyCount, value, valueCount) }
        }
    }

    func delete(_ table: KeyValueTable, _ key: [UInt8]) {
        lend([table.rawValue] + key) { rocksdb_writebatch_delete(batch, $0, $1) }
    }

    func add(_ table: KeyValueTable, _ key: [UInt8], _ number: Int) {
        let bytes = withUnsafeBytes(of: UInt64(bitPattern: Int64(number)).littleEndian) { Array($0) }
        lend([table.rawValue] + key) { key, keyCount in
            lend(bytes) { value, valueCount in rocksdb_writebatch_merge(batch, key, keyCount, value, valueCount) }
        }
    }
}

private typealias FailureText = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

private func checked<Result>(_ body: (FailureText) -> Result) throws -> Result {
    var text: UnsafeMutablePointer<CChar>?
    let result = body(&text)
    guard let text else { return result }
    defer { rocksdb_free(text) }
    throw Failure("RocksDB: " + String(cString: text))
}

private func lend<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>?, Int) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBytes { try body($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) }
}

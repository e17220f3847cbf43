/// Ordered tables of bytes: what LMDB and RocksDB have in common.
protocol KeyValueStore: Sendable {
    associatedtype Reader: KeyValueReader
    associatedtype Batch: KeyValueBatch

    static var name: String { get }

    init(path: String, access: Access) throws

    /// Everything that `body` reads is of one commit.
    func read<Result>(_ body: (Reader) throws -> Result) throws -> Result

    /// Commits everything that `body` changes.
    func write(_ durability: WriteDurability, _ body: (Batch) throws -> Void) throws
    func flush() throws
    func compact() throws
}

enum WriteDurability {
    /// On the device when the commit returns.
    case flushed
    /// May be lost until `flush`.
    case later
    /// May be lost until `flush`, and is not logged.
    case load
}

/// The raw value is the table's name within a store.
enum KeyValueTable: UInt8, CaseIterable {
    /// Place → list row.
    case list = 1
    /// Status, place → list row. The copy takes 145 bytes a work more than a reference to the row would, and a page of fifty takes
    /// 1.2 µs instead of 11.6.
    case status
    /// Title key, place → nothing.
    case key
    /// Work → place.
    case place
    /// Status → count.
    case count
    /// Place → text to search.
    case text
    /// Work → the work with its authors, editions and entry.
    case work
    /// Session → record.
    case session
    /// Day, session → pages.
    case sessionByDay
}

protocol KeyValueReader {
    /// `nil` when there is no such key. The bytes are lent.
    func get<Result>(_ table: KeyValueTable, _ key: [UInt8], _ body: (UnsafeRawBufferPointer) -> Result) throws
        -> Result?

    /// Walks a table's entries from a key on until `body` says no.
    func walk(
        _ table: KeyValueTable, from key: [UInt8], _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool)
        throws
}

protocol KeyValueBatch {
    func put(_ table: KeyValueTable, _ key: [UInt8], _ value: [UInt8]) throws

    /// Puts a key that is greater than all keys of its table.
    func append(_ table: KeyValueTable, _ key: [UInt8], _ value: [UInt8]) throws
    func delete(_ table: KeyValueTable, _ key: [UInt8]) throws

    /// Adds to a number of eight bytes, which begins at zero.
    func add(_ table: KeyValueTable, _ key: [UInt8], _ number: Int) throws
}

extension KeyValueBatch {
    func append(_ table: KeyValueTable, _ key: [UInt8], _ value: [UInt8]) throws { try put(table, key, value) }
}

extension FixedWidthInteger {
    /// In the order of numbers that are not negative.
    var key: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension UnsafeRawBufferPointer {
    func starts(with prefix: [UInt8]) -> Bool { count >= prefix.count && self[..<prefix.count].elementsEqual(prefix) }

    /// The place at the end of a key.
    var trailingPlace: Int64 { Int64(bigEndian: loadUnaligned(fromByteOffset: count - 8, as: Int64.self)) }
}

/// Ordered tables of bytes: what LMDB and RocksDB have in common.
protocol KeyValueStore: Sendable {
    associatedtype Reader: KeyValueReader
    associatedtype Batch: KeyValueBatch

    static var name: String { get }

    init(path: String, access: Access) throws

    /// Everything that `body` reads is of one commit.
    func read<Result>(_ body: (Reader) throws -> Result) throws -> Result

    /// One commit of everything that `body` changes; unless `durably`, it may be lost until `flush`.
    func write(durably: Bool, _ body: (Batch) throws -> Void) throws
    func flush() throws
    func compact() throws
}

/// The raw value is the table's name within a store.
enum KeyValueTable: UInt8, CaseIterable {
    /// Place → list row.
    case list = 1
    /// Status, place → list row.
    case status
    /// Title key, place → nothing.
    case key
    /// Work → place.
    case place
    /// Status → count.
    case count
    /// Place → text to search.
    case text
    /// Work → record.
    case work
    /// Author → record.
    case author
    /// Work, edition → record.
    case edition
    /// Work → record.
    case entry
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
    func delete(_ table: KeyValueTable, _ key: [UInt8]) throws

    /// Adds to a number of eight bytes, which begins at zero.
    func add(_ table: KeyValueTable, _ key: [UInt8], _ number: Int) throws
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

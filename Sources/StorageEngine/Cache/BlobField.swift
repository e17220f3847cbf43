/// The fields at the beginning of a cached blob's file. `Formats/CACHE.md` draws it.
enum BlobField {
    static var magic: Field<[UInt8]> { Field("magic", at: 0, count: 4) }
    static var version: Field<UInt16> { Field("version", at: 4) }
    static var keyByteCount: Field<UInt16> { Field("keyByteCount", at: 6) }
    static var store: Field<[UInt8]> { Field("store", at: 8, count: 16) }
    static var written: Field<UInt64> { Field("written", at: 24) }
    static var lifetime: Field<UInt64> { Field("lifetime", at: 32) }
    static var byteCount: Field<UInt32> { Field("byteCount", at: 40) }
    static var checksum: Field<UInt32> { Field("checksum", at: 44) }
    static var used: Field<UInt64> { Field("used", at: 48) }

    static var all: FieldTable {
        FieldTable(magic, version, keyByteCount, store, written, lifetime, byteCount, checksum, used)
    }
}

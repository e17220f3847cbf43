/// The fields of a superblock. `Formats/SNAPSHOT.md` draws it.
enum SuperblockField {
    static var magic: Field<[UInt8]> { Field("magic", at: 0, count: 8) }
    static var formatVersion: Field<UInt32> { Field("formatVersion", at: 8) }
    static var pageByteCount: Field<UInt32> { Field("pageByteCount", at: 12) }
    static var store: Field<[UInt8]> { Field("store", at: 16, count: 16) }
    static var generation: Field<UInt64> { Field("generation", at: 32) }
    static var commitNumber: Field<UInt64> { Field("commitNumber", at: 40) }
    static var fileByteCount: Field<UInt64> { Field("fileByteCount", at: 48) }
    static var pageCount: Field<UInt32> { Field("pageCount", at: 56) }
    static var treeCount: Field<UInt32> { Field("treeCount", at: 60) }
    static var coldOffset: Field<UInt64> { Field("coldOffset", at: 64) }
    static var coldByteCount: Field<UInt64> { Field("coldByteCount", at: 72) }
    static var created: Field<UInt64> { Field("created", at: 80) }
    static var logSequence: Field<UInt64> { Field("logSequence", at: 88) }
    static var logChecksum: Field<UInt32> { Field("logChecksum", at: 96) }
    static var catalogueChecksum: Field<UInt32> { Field("catalogueChecksum", at: 100) }
    static var compatible: Field<UInt32> { Field("compatible", at: 104) }
    static var readOnly: Field<UInt32> { Field("readOnly", at: 108) }
    static var incompatible: Field<UInt32> { Field("incompatible", at: 112) }
    static var pageTrailerCount: Field<UInt8> { Field("pageTrailerCount", at: 116) }
    static var blockTrailerCount: Field<UInt8> { Field("blockTrailerCount", at: 117) }
    static var reserved: Field<[UInt8]> { Field("reserved", at: 118, count: 3974) }
    static var checksum: Field<UInt32> { Field("checksum", at: 4092) }

    static var all: FieldTable {
        FieldTable(
            magic, formatVersion, pageByteCount, store, generation, commitNumber, fileByteCount, pageCount, treeCount,
            coldOffset, coldByteCount, created, logSequence, logChecksum, catalogueChecksum,
            compatible, readOnly, incompatible, pageTrailerCount, blockTrailerCount, reserved, checksum)
    }
}

/// The fields of a companion's header; the body follows, then its table. `Formats/SEARCH.md` draws it.
enum CompanionField {
    static var magic: Field<[UInt8]> { Field("magic", at: 0, count: 8) }
    static var version: Field<UInt32> { Field("version", at: 8) }
    static var chunkByteCount: Field<UInt32> { Field("chunkByteCount", at: 12) }
    static var store: Field<[UInt8]> { Field("store", at: 16, count: 16) }
    static var generation: Field<UInt64> { Field("generation", at: 32) }
    static var snapshotChecksum: Field<UInt32> { Field("snapshotChecksum", at: 40) }
    static var tableChecksum: Field<UInt32> { Field("tableChecksum", at: 44) }
    static var bodyByteCount: Field<UInt64> { Field("bodyByteCount", at: 48) }
    static var reserved: Field<[UInt8]> { Field("reserved", at: 56, count: 4036) }
    static var headerChecksum: Field<UInt32> { Field("headerChecksum", at: 4092) }

    static var all: FieldTable {
        FieldTable(
            magic, version, chunkByteCount, store, generation, snapshotChecksum, tableChecksum, bodyByteCount, reserved,
            headerChecksum)
    }
}

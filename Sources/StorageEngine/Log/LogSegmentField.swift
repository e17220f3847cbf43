/// The fields of a segment's header. `Formats/LOG.md` draws it.
enum LogSegmentField {
    static var magic: Field<[UInt8]> { Field("magic", at: 0, count: 8) }
    static var formatVersion: Field<UInt32> { Field("formatVersion", at: 8) }
    static var salt: Field<UInt32> { Field("salt", at: 12) }
    static var store: Field<[UInt8]> { Field("store", at: 16, count: 16) }
    static var sequence: Field<UInt64> { Field("sequence", at: 32) }
    static var baseCommit: Field<UInt64> { Field("baseCommit", at: 40) }
    static var previousChecksum: Field<UInt32> { Field("previousChecksum", at: 48) }
    static var generation: Field<UInt64> { Field("generation", at: 52) }
    static var checksum: Field<UInt32> { Field("checksum", at: 60) }

    static var all: FieldTable {
        FieldTable(
            magic, formatVersion, salt, store, sequence, baseCommit, previousChecksum, generation, checksum)
    }
}

/// The fields of the file that says how far the log goes. `Formats/STORE.md` draws it.
enum LogHeadField {
    static var magic: Field<[UInt8]> { Field("magic", at: 0, count: 4) }
    static var formatVersion: Field<UInt32> { Field("formatVersion", at: 4) }
    static var generation: Field<UInt64> { Field("generation", at: 8) }
    static var sequence: Field<UInt64> { Field("sequence", at: 16) }
    static var end: Field<UInt64> { Field("end", at: 24) }
    static var commit: Field<UInt64> { Field("commit", at: 32) }
    static var checksum: Field<UInt32> { Field("checksum", at: 40) }

    static var all: FieldTable {
        FieldTable(magic, formatVersion, generation, sequence, end, commit, checksum)
    }
}

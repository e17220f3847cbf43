/// The fields of a slot of the history file. `Formats/STORE.md` draws it.
enum StoreEventField {
    static var magic: Field<[UInt8]> { Field("magic", at: 0, count: 4) }
    static var kind: Field<UInt8> { Field("kind", at: 4) }
    static var padding: Field<[UInt8]> { Field("reserved", at: 5, count: 3) }
    static var number: Field<UInt64> { Field("number", at: 8) }
    static var time: Field<UInt64> { Field("time", at: 16) }
    static var commit: Field<UInt64> { Field("commit", at: 24) }
    static var generation: Field<UInt64> { Field("generation", at: 32) }
    static var byteCount: Field<UInt64> { Field("byteCount", at: 40) }
    static var processIdentifier: Field<UInt32> { Field("processIdentifier", at: 48) }
    static var store: Field<UInt64> { Field("store", at: 52) }
    static var checksum: Field<UInt32> { Field("checksum", at: 60) }

    static var all: FieldTable {
        FieldTable(
            magic, kind, padding, number, time, commit, generation, byteCount, processIdentifier, store, checksum)
    }
}

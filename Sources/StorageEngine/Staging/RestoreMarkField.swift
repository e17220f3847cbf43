/// The fields of what says that a restore is staged, or was carried out. `Formats/STORE.md` draws it.
enum RestoreMarkField {
    static var magic: Field<[UInt8]> { Field("magic", at: 0, count: 8) }
    static var formatVersion: Field<UInt32> { Field("formatVersion", at: 8) }
    static var pathCount: Field<UInt32> { Field("pathCount", at: 12) }
    static var store: Field<[UInt8]> { Field("store", at: 16, count: 16) }
    static var generation: Field<UInt64> { Field("generation", at: 32) }
    static var logSequence: Field<UInt64> { Field("logSequence", at: 40) }
    static var commit: Field<UInt64> { Field("commit", at: 48) }
    static var commitTime: Field<UInt64> { Field("commitTime", at: 56) }
    static var time: Field<UInt64> { Field("time", at: 64) }
    static var snapshotChecksum: Field<UInt32> { Field("snapshotChecksum", at: 72) }
    static var checksum: Field<UInt32> { Field("checksum", at: 76) }

    static var all: FieldTable {
        FieldTable(
            magic, formatVersion, pathCount, store, generation, logSequence, commit, commitTime, time, snapshotChecksum,
            checksum)
    }
}

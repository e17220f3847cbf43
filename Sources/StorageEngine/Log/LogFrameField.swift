/// The fields of a frame's header; the stored payload follows. `Formats/LOG.md` draws it.
enum LogFrameField {
    static var magic: Field<[UInt8]> { Field("magic", at: 0, count: 4) }
    static var storedCount: Field<UInt32> { Field("storedCount", at: 4) }
    static var rawCount: Field<UInt32> { Field("rawCount", at: 8) }
    static var flags: Field<UInt32> { Field("flags", at: 12) }
    static var commit: Field<UInt64> { Field("commit", at: 16) }
    static var watermark: Field<UInt64> { Field("watermark", at: 24) }
    static var salt: Field<UInt32> { Field("salt", at: 32) }
    static var previousChecksum: Field<UInt32> { Field("previousChecksum", at: 36) }
    static var time: Field<UInt64> { Field("time", at: 40) }
    static var trailerCount: Field<UInt8> { Field("trailerCount", at: 48) }
    static var compatible: Field<UInt8> { Field("compatible", at: 49) }
    static var incompatible: Field<UInt16> { Field("incompatible", at: 50) }
    static var checksum: Field<UInt32> { Field("checksum", at: 52) }

    static var all: FieldTable {
        FieldTable(
            magic, storedCount, rawCount, flags, commit, watermark, salt, previousChecksum, time, trailerCount,
            compatible, incompatible, checksum)
    }
}

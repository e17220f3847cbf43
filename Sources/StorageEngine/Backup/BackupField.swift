/// The fields of a backup's manifest: what it begins with, and what it says of each part. `Formats/BACKUP.md` draws them.
enum BackupField {
    static var magic: Field<[UInt8]> { Field("magic", at: 0, count: 8) }
    static var formatVersion: Field<UInt32> { Field("formatVersion", at: 8) }
    static var partCount: Field<UInt32> { Field("partCount", at: 12) }
    static var store: Field<[UInt8]> { Field("store", at: 16, count: 16) }
    static var begun: Field<UInt64> { Field("begun", at: 32) }
    static var time: Field<UInt64> { Field("time", at: 40) }
    static var commit: Field<UInt64> { Field("commit", at: 48) }
    static var incompatible: Field<UInt32> { Field("incompatible", at: 56) }
    static var checksum: Field<UInt32> { Field("checksum", at: 60) }

    static var all: FieldTable {
        FieldTable(magic, formatVersion, partCount, store, begun, time, commit, incompatible, checksum)
    }

    enum Part {
        static var kind: Field<UInt8> { Field("kind", at: 0) }
        static var isProved: Field<UInt8> { Field("isProved", at: 1) }
        static var padding: Field<[UInt8]> { Field("reserved", at: 2, count: 2) }
        static var checksum: Field<UInt32> { Field("checksum", at: 4) }
        static var number: Field<UInt64> { Field("number", at: 8) }
        static var start: Field<UInt64> { Field("start", at: 16) }
        static var byteCount: Field<UInt64> { Field("byteCount", at: 24) }
        static var place: Field<UInt64> { Field("place", at: 32) }
        static var firstCommit: Field<UInt64> { Field("firstCommit", at: 40) }
        static var lastCommit: Field<UInt64> { Field("lastCommit", at: 48) }
        static var firstTime: Field<UInt64> { Field("firstTime", at: 56) }
        static var lastTime: Field<UInt64> { Field("lastTime", at: 64) }
        static var logSequence: Field<UInt64> { Field("logSequence", at: 72) }
        static var firstChain: Field<UInt32> { Field("firstChain", at: 80) }
        static var lastChain: Field<UInt32> { Field("lastChain", at: 84) }
        static var reserved: Field<[UInt8]> { Field("reserved", at: 88, count: 8) }

        static var all: FieldTable {
            FieldTable(
                kind, isProved, padding, checksum, number, start, byteCount, place, firstCommit, lastCommit, firstTime,
                lastTime, logSequence, firstChain, lastChain, reserved)
        }
        static var end: Int { reserved.end }
    }

    /// The last bytes of a backup in one file.
    enum Trailer {
        static var magic: Field<[UInt8]> { Field("magic", at: 0, count: 8) }
        static var manifestOffset: Field<UInt64> { Field("manifestOffset", at: 8) }
        static var manifestByteCount: Field<UInt64> { Field("manifestByteCount", at: 16) }
        static var reserved: Field<[UInt8]> { Field("reserved", at: 24, count: 4) }
        static var checksum: Field<UInt32> { Field("checksum", at: 28) }

        static var all: FieldTable { FieldTable(magic, manifestOffset, manifestByteCount, reserved, checksum) }
    }
}

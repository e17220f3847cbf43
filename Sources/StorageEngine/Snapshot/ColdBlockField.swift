/// The fields of a cold block's header; the stored bytes follow. `Formats/SNAPSHOT.md` draws it.
enum ColdBlockField {
    static var magic: Field<[UInt8]> { Field("magic", at: 0, count: 4) }
    static var storedCount: Field<UInt32> { Field("storedCount", at: 4) }
    static var rawCount: Field<UInt32> { Field("rawCount", at: 8) }
    static var checksum: Field<UInt32> { Field("checksum", at: 12) }

    static var all: FieldTable { FieldTable(magic, storedCount, rawCount, checksum) }
}

/// The fields of a cold reference. `Formats/SNAPSHOT.md` draws it.
enum ColdReferenceField {
    static var block: Field<UInt64> { Field("block", at: 0) }
    static var offset: Field<UInt32> { Field("offset", at: 8) }
    static var count: Field<UInt32> { Field("count", at: 12) }
    static var hash: Field<UInt64> { Field("hash", at: 16) }

    static var all: FieldTable { FieldTable(block, offset, count, hash) }
}

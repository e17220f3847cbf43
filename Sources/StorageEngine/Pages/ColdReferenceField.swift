/// The fields of a cold reference. `Formats/SNAPSHOT.md` draws it.
enum ColdReferenceField {
    static let block = Field<UInt64>("block", at: 0)
    static let offset = Field<UInt32>("offset", at: 8)
    static let count = Field<UInt32>("count", at: 12)
    static let hash = Field<UInt64>("hash", at: 16)

    static var all: FieldTable { FieldTable(block, offset, count, hash) }
}

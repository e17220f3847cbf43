/// The fields that an entry of a `SortBuffer` begins with; its key and its value follow.
enum SortedEntryField {
    static var keyCount: Field<UInt16> { Field("keyCount", at: 0) }
    static var facets: Field<UInt16> { Field("facets", at: 2) }
    static var valueCount: Field<UInt32> { Field("valueCount", at: 4) }
    static var end: Int { valueCount.end }
}

/// The fields of a reference to a large value, which only memory nodes hold. It has as many bytes as a cold one, and the hash in
/// the same place.
enum LargeValueField {
    static var address: Field<UInt64> { Field("address", at: 0) }
    static var byteCount: Field<UInt64> { Field("byteCount", at: 8) }
    static var hash: Field<UInt64> { ColdReferenceField.hash }
}

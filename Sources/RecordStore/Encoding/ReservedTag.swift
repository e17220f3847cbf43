/// Numbers of fields that every record keeps free.
enum ReservedTag {
    /// For stamps of the fields, by which two devices' changes could be merged.
    static let stamps: UInt32 = 15
}

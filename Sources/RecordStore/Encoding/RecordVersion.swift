/// The version of the type that wrote a record, which comes before its fields.
enum RecordVersion {
    static func split(_ record: [UInt8]) -> (version: UInt64?, fields: [UInt8]) {
        var walk = TaggedWalk(record, 0..<record.count)
        guard let first = try? walk.next(), first.tag == FieldNumber.versionTag, case .number(let version) = first.place
        else { return (nil, record) }
        return (version, Array(record[walk.byteOffset...]))
    }
}

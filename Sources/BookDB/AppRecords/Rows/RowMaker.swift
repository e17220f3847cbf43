/// Makes the rows of one reading.
struct RowMaker {
    private let origin: KnownFields.Origin
    private var fields: KnownFields
    private var rowCount = 0

    init(_ origin: KnownFields.Origin) {
        self.origin = origin
        fields = origin.known
    }

    /// The first rows meet fields that the others then know.
    mutating func row<Value: Record>(_ id: ID<Value>, _ bytes: [UInt8]) -> RecordRow<Value> {
        rowCount += 1
        if rowCount == 2 || rowCount.isMultiple(of: 256) { fields = origin.known }
        return RecordRow(id, bytes, fields)
    }
}

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

    /// Not for a record that cannot be read.
    ///
    /// - Throws: what the condition throws else, as `BookError.invalidArgument` where it is no error of the library's.
    mutating func holds<Value: Record>(
        _ condition: (RecordRow<Value>) throws -> Bool, for id: ID<Value>, _ bytes: [UInt8]
    ) throws(BookError) -> Bool {
        do {
            return try condition(row(id, bytes))
        } catch BookError.damaged {
            return false
        } catch let error as BookError {
            throw error
        } catch {
            throw .invalidArgument("The condition failed for \(Value.recordName) \(id): \(error)")
        }
    }
}

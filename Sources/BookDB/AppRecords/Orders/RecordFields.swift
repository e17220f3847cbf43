import StorageEngine

/// The fields of a record, found in one walk for all the orders of its kind.
///
/// Costs one allocation; a number is read from here, and bytes are copied only when they are asked for.
struct RecordFields {
    private let record: [UInt8]
    /// Ascending by tag. Of fields with the same tag, the last.
    private var fields: [(tag: UInt32, place: TaggedPlace)] = []

    init(_ record: [UInt8]) throws(RecordProblem) {
        self.record = record
        fields.reserveCapacity(16)
        try record.withBytes { (bytes) throws(RecordProblem) in
            var cursor = RecordCursor()
            while let field = try cursor.next(in: bytes) {
                if fields.last?.tag == field.tag { fields.removeLast() }
                fields.append((field.tag, TaggedPlace(field.content)))
            }
        }
    }

    /// What the record has under a tag; `nil` when it lacks the field.
    subscript(tag: UInt32) -> TaggedValue? {
        // A record has a dozen fields, fewer than a better search would pay for.
        for index in fields.indices where fields[index].tag == tag {
            switch fields[index].place {
            case .missing: return nil
            case .number(let number): return .number(number)
            case .bytes(let range): return .bytes(Array(record[range]))
            }
        }
        return nil
    }
}

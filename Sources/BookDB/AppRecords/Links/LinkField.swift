import StorageEngine

/// A field by which records name others: an identifier, or a list of such.
struct LinkField: Hashable, Sendable {
    let tag: UInt32
    let isList: Bool

    /// What a record names; of a list also zeros, which name nothing.
    func identifiers(in record: [UInt8]) throws(RecordProblem) -> [UInt64] {
        switch try TaggedWalk.place(ofTag: tag, in: record) {
        case .missing: return []
        case .number(let number):
            guard !isList else { throw RecordProblem("a link is a number where a list of identifiers is expected") }
            return number == 0 ? [] : [number]
        case .bytes(let range):
            guard isList else { throw RecordProblem("a link is bytes where an identifier is expected") }
            return try TaggedValue.bytes(Array(record[range])).elements.map { (element) throws(RecordProblem) in
                try element.number
            }
        }
    }

    /// The record without the field, or with the identifier taken out of its list. A list keeps its other bytes as they are.
    func removing(_ id: UInt64, from record: [UInt8]) throws(RecordProblem) -> [UInt8] {
        var rest: [UInt8] = []
        var walk = TaggedWalk(record, 0..<record.count)
        var start = 0
        while let field = try walk.next() {
            if field.tag != tag {
                rest += record[start..<walk.byteOffset]
            } else if isList, case .bytes(let range) = field.place {
                rest += try Self.field(tag, Self.removing(id, from: record, range))
            }
            start = walk.byteOffset
        }
        return rest
    }

    private static func removing(
        _ id: UInt64, from record: [UInt8], _ range: Range<Int>
    ) throws(RecordProblem) -> [UInt8] {
        var rest: [UInt8] = []
        var walk = TaggedWalk(record, range)
        var start = range.lowerBound
        while let element = try walk.next() {
            let end = range.lowerBound + walk.byteOffset
            if case (FieldNumber.elementTag, .number(id)) = element {} else { rest += record[start..<end] }
            start = end
        }
        return rest
    }

    private static func field(_ tag: UInt32, _ content: [UInt8]) -> [UInt8] {
        var writer = RecordWriter()
        writer.write(tag, content)
        return writer.finish()
    }
}

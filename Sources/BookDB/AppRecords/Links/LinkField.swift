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

    /// The record without the field, or with the identifier taken out of its list.
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

    /// The list without the elements that are an identifier. Absent ones are told by their places, which move with the others.
    private static func removing(
        _ id: UInt64, from record: [UInt8], _ range: Range<Int>
    ) throws(RecordProblem) -> [UInt8] {
        var absent: Set<UInt64> = []
        var elements: [(place: TaggedPlace, bytes: ArraySlice<UInt8>)] = []
        var walk = TaggedWalk(record, range)
        var start = range.lowerBound
        while let (tag, place) = try walk.next() {
            let end = range.lowerBound + walk.byteOffset
            switch (tag, place) {
            case (FieldNumber.absentTag, .number(let index)): absent.insert(index)
            case (FieldNumber.elementTag, _): elements.append((place, record[start..<end]))
            default: throw RecordProblem("a list has a field \(tag)")
            }
            start = end
        }
        var writer = RecordWriter()
        var rest: [UInt8] = []
        var count: UInt64 = 0
        var next = elements.makeIterator()
        for index in 0..<UInt64(elements.count + absent.count) {
            if absent.contains(index) {
                writer.write(FieldNumber.absentTag, number: count)
            } else {
                guard let element = next.next() else {
                    throw RecordProblem("an element is absent behind the end of its list")
                }
                if case .number(id) = element.place { continue }
                rest += element.bytes
            }
            count += 1
        }
        return writer.finish() + rest
    }

    private static func field(_ tag: UInt32, _ content: [UInt8]) -> [UInt8] {
        var writer = RecordWriter()
        writer.write(tag, content)
        return writer.finish()
    }
}

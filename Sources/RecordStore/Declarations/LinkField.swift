import StorageEngine

/// A field by which records name others: an identifier, a list of such, or a field of the elements of a list.
package struct LinkField: Hashable, Sendable {
    let tag: UInt32
    package let isList: Bool
    /// Of the elements, which are records of their own: the tag that they have the field under.
    var partTag: UInt32?

    /// Whether another is of the same field, whatever the field is there.
    func isPlace(of other: LinkField) -> Bool { tag == other.tag && partTag == other.partTag }

    /// What a record names; of a list also zeros, which name nothing.
    package func identifiers(in record: [UInt8]) throws(RecordProblem) -> [UInt64] {
        switch try TaggedWalk.place(ofTag: tag, in: record) {
        case .missing: return []
        case .number(let number):
            guard !isList else { throw RecordProblem("a link is a number where a list of identifiers is expected") }
            return number == 0 ? [] : [number]
        case .bytes(let range):
            guard isList else { throw RecordProblem("a link is bytes where an identifier is expected") }
            let elements = try TaggedValue.bytes(Array(record[range])).elements
            var named: [UInt64] = []
            for content in elements {
                // An element that lacks the field names nothing.
                guard let value = try ListElement(content, isPart: partTag != nil).value(partTag) else { continue }
                named.append(try value.number)
            }
            return named
        }
    }

    /// The field within an element.
    private var part: LinkField? { partTag.map { LinkField(tag: $0, isList: false) } }

    /// The record without the field, with identifiers taken out of its list, or with elements that lack the field.
    func removing(_ ids: Set<UInt64>, from record: [UInt8]) throws(RecordProblem) -> [UInt8] {
        var rest: [UInt8] = []
        var walk = TaggedWalk(record, 0..<record.count)
        var start = 0
        while let field = try walk.next() {
            if field.tag != tag {
                rest += record[start..<walk.byteOffset]
            } else if isList, case .bytes(let range) = field.place {
                if let part {
                    rest += Self.field(tag, try part.removing(ids, fromElements: record, range))
                } else {
                    rest += Self.field(tag, try Self.removing(ids, from: record, range))
                }
            }
            start = walk.byteOffset
        }
        return rest
    }

    /// The list with the same elements, without the field in those where it is one of the identifiers.
    private func removing(
        _ ids: Set<UInt64>, fromElements record: [UInt8], _ range: Range<Int>
    ) throws(RecordProblem) -> [UInt8] {
        var list: [UInt8] = []
        var walk = TaggedWalk(record, range)
        var start = range.lowerBound
        while let (tag, place) = try walk.next() {
            let end = range.lowerBound + walk.byteOffset
            if case .bytes(let content) = place,
                try identifiers(in: Array(record[content])).contains(where: ids.contains)
            {
                list += Self.field(tag, try removing(ids, from: Array(record[content])))
            } else {
                list += record[start..<end]
            }
            start = end
        }
        return list
    }

    /// The list without the elements that are one of the identifiers. Absent ones are told by their places, which move with the others.
    private static func removing(
        _ ids: Set<UInt64>, from record: [UInt8], _ range: Range<Int>
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
                if case .number(let id) = element.place, ids.contains(id) { continue }
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

extension KindFields {
    /// Whether the field that a link is by is among them, and is one of identifiers.
    func hasIdentifiers(_ link: LinkField) -> Bool {
        guard let type = type(ofTag: link.tag) else { return false }
        guard link.isList else { return type == .identifier }
        guard let partTag = link.partTag else { return type == .list(of: .identifier) }
        guard case .list(of: .record(let parts)) = type else { return false }
        return KindFields(parts).type(ofTag: partTag) == .identifier
    }

    private func type(ofTag tag: UInt32) -> FieldType? {
        FieldNumber.number(ofTag: tag).flatMap { field(numbered: $0) }?.type
    }
}

/// What an encoder was told, before it becomes bytes: a value, the fields of a record, or the elements of a list.
///
/// A reference, since a nested container is written to when the one around it already holds it. A value that is one field by itself
/// has no node.
final class TaggedNode {
    enum Shape {
        case nothing
        case value(TaggedValue)
        case fields
        case list
    }

    /// A field or an element: a value, or what is written to later.
    enum Part {
        case value(TaggedValue)
        case node(TaggedNode)
    }

    var shape = Shape.nothing
    private var numbered: [(number: Int, part: Part)] = []
    private var named: [(name: String, part: Part)] = []
    var elements: [Part] = []
    /// So many elements of a list in a row belong together, and the rows stand in no order of their own; `nil` for a list that has one.
    var unorderedCount: Int?
    private let omitted: Int?
    let marks: Marks?

    /// What is not to be stored, but to be compared: each value says of which type it is, and what is nested what it is.
    enum Marks {
        case types
        /// Besides, the bytes of a value are sorted. What a type writes of a dictionary, such as JSON, has the same in another order each time.
        case typesInAnyOrder
    }

    /// - Parameter number: that of a field that is left out.
    init(without number: Int? = nil, marks: Marks? = nil) {
        omitted = number
        self.marks = marks
    }

    func add(_ part: Part, forKey key: some CodingKey) {
        guard let number = FieldNumber.number(of: key) else { return named.append((key.stringValue, part)) }
        guard number != omitted else { return }
        if numbered.isEmpty { numbered.reserveCapacity(16) }
        numbered.append((number, part))
    }

    /// The record or the list. Equal content is equal bytes, whatever the order of the calls; of a field that was written
    /// twice the last value counts.
    ///
    /// - Throws: `LibraryError.schemaMismatch` or `.invalidValue` for a field's number out of range, and for records and lists nested too deep.
    func encoded(depth: Int = 0) throws(LibraryError) -> [UInt8] {
        guard depth <= FieldNumber.maximumDepth else { throw Self.tooDeep }
        var writer = RecordWriter(reserving: 64)
        if case .list = shape, let unorderedCount { return try unordered(by: unorderedCount, depth) }
        if case .list = shape {
            for (index, element) in elements.enumerated() where element.isNothing {
                writer.write(FieldNumber.absentTag, number: UInt64(index))
            }
            for element in elements { try element.write(FieldNumber.elementTag, depth, to: &writer) }
            return writer.finish()
        }
        if !named.isEmpty { try writeNamed(depth, to: &writer) }
        // As a rule fields come in the order of their numbers. The sort keeps the order of equal ones.
        if !numberedAscend { numbered.sort { $0.number < $1.number } }
        for index in numbered.indices {
            let number = numbered[index].number
            guard index + 1 == numbered.count || numbered[index + 1].number != number else { continue }
            try numbered[index].part.write(FieldNumber.checkedTag(number), depth, to: &writer)
        }
        return writer.finish()
    }

    static var tooDeep: LibraryError {
        .invalidValue("A record holds up to \(FieldNumber.maximumDepth) levels of records and lists within it.")
    }

    /// The elements of a set, or the keys and values of a dictionary, by their bytes: equal ones go through them in different orders.
    private func unordered(by count: Int, _ depth: Int) throws(LibraryError) -> [UInt8] {
        var rows: [(bytes: [UInt8], absent: [Int])] = []
        for start in stride(from: 0, to: elements.count, by: count) {
            let row = elements[start..<min(start + count, elements.count)]
            var writer = RecordWriter()
            for element in row { try element.write(FieldNumber.elementTag, depth, to: &writer) }
            rows.append((writer.finish(), row.indices.filter { row[$0].isNothing }.map { $0 - start }))
        }
        rows.sort { left, right in
            left.absent == right.absent
                ? left.bytes.lexicographicallyPrecedes(right.bytes)
                : left.absent.lexicographicallyPrecedes(right.absent)
        }
        var absent = RecordWriter()
        for (place, row) in rows.enumerated() {
            for index in row.absent { absent.write(FieldNumber.absentTag, number: UInt64(place * count + index)) }
        }
        return rows.reduce(into: absent.finish()) { $0 += $1.bytes }
    }

    private func writeNamed(_ depth: Int, to writer: inout RecordWriter) throws(LibraryError) {
        var names: [String: Part] = [:]
        for (name, part) in named { names[name] = part }
        for (name, part) in names.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            var field = RecordWriter()
            field.write(FieldNumber.nameTag, name.utf8)
            try part.write(FieldNumber.valueTag, depth, to: &field)
            writer.write(FieldNumber.namedTag, field.finish())
        }
    }

    private var numberedAscend: Bool {
        numbered.indices.dropFirst().allSatisfy { numbered[$0 - 1].number <= numbered[$0].number }
    }

    fileprivate var isNothing: Bool {
        if case .nothing = shape { true } else { false }
    }

    fileprivate func write(_ tag: UInt32, _ depth: Int, to writer: inout RecordWriter) throws(LibraryError) {
        switch shape {
        case .nothing: break
        case .value(let value): writer.write(tag, value)
        case .fields where marks != nil: writer.write(tag, try [0] + encoded(depth: depth + 1))
        case .list where marks != nil: writer.write(tag, try [1] + encoded(depth: depth + 1))
        case .fields, .list: writer.write(tag, try encoded(depth: depth + 1))
        }
    }
}

extension TaggedNode.Part {
    fileprivate var isNothing: Bool {
        if case .node(let node) = self { node.isNothing } else { false }
    }

    fileprivate func write(_ tag: UInt32, _ depth: Int, to writer: inout RecordWriter) throws(LibraryError) {
        switch self {
        case .value(let value): writer.write(tag, value)
        case .node(let node): try node.write(tag, depth, to: &writer)
        }
    }
}

extension RecordWriter {
    mutating func write(_ tag: UInt32, _ value: TaggedValue) {
        switch value {
        case .number(let number): write(tag, number: number)
        case .eightBytes(let number): write(tag, eightBytes: number)
        case .bytes(let bytes): write(tag, bytes)
        }
    }
}

/// A value as a field holds it.
package enum TaggedValue: Equatable {
    case number(UInt64)
    case eightBytes(UInt64)
    case bytes([UInt8])
}

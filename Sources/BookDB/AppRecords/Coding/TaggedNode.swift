/// What an encoder was told, before it becomes bytes: a value, the fields of a record, or the elements of a list.
///
/// A reference, since a nested container is written to when the one around it already holds it.
final class TaggedNode {
    enum Shape {
        case nothing
        case value(TaggedValue)
        case fields
        case list
    }

    var shape = Shape.nothing
    var numbered: [(number: Int, node: TaggedNode)] = []
    var named: [(name: String, node: TaggedNode)] = []
    var elements: [TaggedNode] = []

    /// The record or the list. Equal content is equal bytes, whatever the order of the calls; of a field that was written
    /// twice the last value counts.
    ///
    /// - Throws: `BookError.schemaMismatch` or `.invalidValue` for a field's number out of range, and for records and lists nested too deep.
    func encoded(depth: Int = 0) throws(BookError) -> [UInt8] {
        guard depth <= FieldNumber.maximumDepth else {
            throw .invalidValue(
                "A record holds up to \(FieldNumber.maximumDepth) levels of records and lists within it.")
        }
        var writer = RecordWriter()
        if case .list = shape {
            for (index, element) in elements.enumerated() where element.isNothing {
                writer.write(FieldNumber.absentTag, number: UInt64(index))
            }
            for element in elements { try element.write(FieldNumber.elementTag, depth, to: &writer) }
            return writer.finish()
        }
        var names: [String: TaggedNode] = [:]
        for (name, node) in named { names[name] = node }
        for (name, node) in names.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            var field = RecordWriter()
            field.write(FieldNumber.nameTag, name.utf8)
            try node.write(FieldNumber.valueTag, depth, to: &field)
            writer.write(FieldNumber.namedTag, field.finish())
        }
        // The sort keeps the order of equal tags.
        let fields = numbered.sorted { $0.number < $1.number }
        for (index, field) in fields.enumerated() {
            guard index + 1 == fields.count || fields[index + 1].number != field.number else { continue }
            try field.node.write(FieldNumber.checkedTag(field.number), depth, to: &writer)
        }
        return writer.finish()
    }

    private var isNothing: Bool {
        if case .nothing = shape { true } else { false }
    }

    private func write(_ tag: UInt32, _ depth: Int, to writer: inout RecordWriter) throws(BookError) {
        switch shape {
        case .nothing: break
        case .value(.number(let number)): writer.write(tag, number: number)
        case .value(.eightBytes(let number)): writer.write(tag, eightBytes: number)
        case .value(.bytes(let bytes)): writer.write(tag, bytes)
        case .fields, .list: writer.write(tag, try encoded(depth: depth + 1))
        }
    }
}

/// A value as a field holds it.
enum TaggedValue: Equatable {
    case number(UInt64)
    case eightBytes(UInt64)
    case bytes([UInt8])
}

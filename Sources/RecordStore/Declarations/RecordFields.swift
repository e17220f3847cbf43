import StorageEngine

/// The fields of a record, found in one walk for all the orders of its kind.
///
/// Costs one allocation; a number is read from here, and bytes are copied only when they are asked for.
struct RecordFields {
    private let record: [UInt8]
    /// Ascending by tag. Of fields with the same tag, the last.
    private var fields: [(tag: UInt32, place: TaggedPlace)] = []

    /// The records that it names by some fields, as far as orders are by theirs.
    private var named: [NamedRecord] = []

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

    /// The record that a component is a field of; `nil` when there is none.
    func named(by component: OrderDeclaration.Component) -> RecordFields? {
        named.first { $0.isNamed(by: component) }?.fields
    }

    /// Looks up the records whose fields some orders are by.
    ///
    /// - Parameters:
    ///   - owner: whose fields these are. Where a record names itself, they are what it has.
    ///   - changed: records that are about to be what these fields say, or to be gone.
    mutating func findNamed(
        by orders: [StoredOrder], of owner: (kind: String, id: UInt64),
        considering changed: [LinkedRecord: RecordFields?] = [:],
        in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) {
        for order in orders where !order.declaration.linked.isEmpty {
            for component in order.declaration.linked where !named.contains(where: { $0.isNamed(by: component) }) {
                guard let link = component.link, let kind = component.linked?.kind else { continue }
                var found: RecordFields?
                if let id = try? link.identifiers(in: record).first, id != 0 {
                    if let fields = changed[LinkedRecord(target: .records(kind), id: id)] {
                        found = fields
                    } else if (kind, id) == owner {
                        found = self
                    } else {
                        let bytes = try trees.recordBytes(id, ofKind: kind)
                        // One that cannot be read is reported where it is read.
                        found = bytes.flatMap { try? RecordFields($0) }
                    }
                }
                named.append(NamedRecord(tag: component.tag, kind: kind, fields: found))
            }
        }
    }
}

/// A record that another one names.
private final class NamedRecord {
    /// Of the field that names it.
    let tag: UInt32
    let kind: String
    let fields: RecordFields?

    init(tag: UInt32, kind: String, fields: RecordFields?) { (self.tag, self.kind, self.fields) = (tag, kind, fields) }

    func isNamed(by component: OrderDeclaration.Component) -> Bool {
        tag == component.tag && kind == component.linked?.kind
    }
}

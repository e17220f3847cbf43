import Filing
import StorageEngine

/// A condition that is tested on the bytes of a record where they lie: nothing is copied and nothing is made.
///
/// A reference, since going through tests that are values copies each of them for every record.
final class FieldTest {
    let tag: UInt32
    private let facet: OrderDeclaration.Facet
    private let operand: Operand
    /// Whether it holds for a record that lacks the field.
    private let holdsWhenMissing: Bool

    private enum Operand {
        case absent
        /// As keys have it.
        case number(UInt64)
        case bytes([UInt8])
        /// Of a list; `nil` for any.
        case element(TaggedValue?)
    }

    /// - Parameter empty: a record of which nothing was written; `nil` when a field has no value then.
    init(_ condition: RecordSelection.Condition, empty: [UInt8]?) {
        let (facet, value) = (condition.test, condition.value)
        tag = facet.tag
        self.facet = facet
        guard !condition.isOfElements else {
            operand = .element(value)
            // Without a value it is asked for lists that have no element.
            holdsWhenMissing = (facet.comparison == .equal) == (value == nil)
            return
        }
        switch facet.kind {
        case .signed, .number, .real: operand = facet.value.count == 9 ? .number(facet.value.number(at: 1)) : .absent
        case .text, .bytes: operand = (try? value?.bytes).map { .bytes($0) } ?? .absent
        }
        // Without a value for what was never written, such a record cannot be read.
        let isReadable = facet.isOptional || empty != nil
        holdsWhenMissing = isReadable && (try? Self.holds(facet, forMissingIn: empty ?? [])) ?? false
    }

    /// Whether a list has an element, or any.
    private static func has(
        _ element: TaggedValue?, _ content: RecordField.Content, in record: RawSpan
    ) throws(RecordProblem) -> Bool {
        guard case .bytes(let range) = content else {
            throw RecordProblem("a field is a number where a list is expected")
        }
        let elements = try TaggedValue.bytes(record.copyBytes(range)).elements
        guard let element else { return !elements.isEmpty }
        // How an element is stored its bytes do not say in full: a number may be of either width.
        if let number = try? element.number { return elements.contains { (try? $0.number) == number } }
        return elements.contains(element)
    }

    private static func holds(
        _ facet: OrderDeclaration.Facet, forMissingIn empty: [UInt8]
    ) throws(RecordProblem) -> Bool {
        var source = FieldSource(try RecordFields([]), blank: empty)
        var room: [UInt8] = []
        return try facet.holds(for: &source, &room)
    }

    /// - Throws: `RecordProblem` for a field of another kind.
    fileprivate func holds(for content: RecordField.Content?, in record: RawSpan) throws(RecordProblem) -> Bool {
        switch (content, operand) {
        case (nil, _): return holdsWhenMissing
        case (let content?, .element(let element)):
            let isThere = try Self.has(element, content, in: record)
            return isThere == ((facet.comparison == .equal) == (element != nil))
        case (_?, .absent): return facet.comparison == .unequal
        case (.number(let number)?, .number(let operand)):
            let found: UInt64 =
                switch facet.kind {
                case .signed: UInt64(bitPattern: try TaggedValue.number(number).signed) ^ 1 << 63
                case .real: OrderedBytes.bits(Double(bitPattern: number))
                default: number
                }
            return facet.comparison.holds(found < operand ? -1 : found == operand ? 0 : 1)
        case (.bytes(let range)?, .bytes(let operand)):
            let found = record.extracting(range)
            // What is no UTF-8 is read as if it had been mended.
            if facet.kind == .bytes || found.isASCII { return facet.comparison.holds(found.order(relativeTo: operand)) }
            let mended = found.copyBytes(0..<found.byteCount).repairedText
            return facet.comparison.holds(mended.withBytes { $0.order(relativeTo: operand) })
        case (.number?, .bytes): throw RecordProblem("a field is a number where bytes are expected")
        case (.bytes?, .number): throw RecordProblem("a field is bytes where a number is expected")
        }
    }
}

extension [FieldTest] {
    /// Whether all hold for a record. Precondition: they ascend by their tags.
    func hold(for record: RawSpan) throws(RecordProblem) -> Bool {
        var cursor = RecordCursor()
        var next = try cursor.next(in: record)
        var last: RecordField?
        for test in self {
            // Of a field that is there twice the last counts.
            while let field = next, field.tag <= test.tag {
                last = field
                next = try cursor.next(in: record)
            }
            let content = last?.tag == test.tag ? last?.content : nil
            guard try test.holds(for: content, in: record) else { return false }
        }
        // Of what is found all is looked at: a record whose end is damaged cannot be read.
        while next != nil { next = try cursor.next(in: record) }
        return true
    }
}

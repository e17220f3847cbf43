import Filing
import StorageEngine

/// Conditions that are tested on the bytes of a record where they lie: nothing is copied and nothing is made.
///
/// A chain of references, since going through an array of tests copies or counts each of them for every record.
final class FieldTest {
    private let tag: UInt32
    /// That of the same field, or of the next one.
    private let next: FieldTest?
    private let facet: OrderDeclaration.Facet
    private let operand: Operand
    /// Of a number: what most conditions are about, at hand.
    private let number: UInt64?
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

    /// The test of the first condition, which leads to the others; `nil` where there are none.
    ///
    /// - Parameter empty: a record of which nothing was written; `nil` when a field has no value then.
    static func chain(_ conditions: [RecordSelection.Condition], empty: [UInt8]?) -> FieldTest? {
        conditions.sorted { $0.test.tag > $1.test.tag }.reduce(nil) { FieldTest($1, empty: empty, next: $0) }
    }

    private init(_ condition: RecordSelection.Condition, empty: [UInt8]?, next: FieldTest?) {
        let (facet, value) = (condition.test, condition.value)
        tag = facet.tag
        self.next = next
        self.facet = facet
        holdsWhenMissing = Self.holdsWhenMissing(condition, empty: empty)
        guard !condition.isOfElements else {
            operand = .element(value)
            number = nil
            return
        }
        switch facet.kind {
        case .signed, .number, .real:
            number = facet.value.count == 9 ? facet.value.number(at: 1) : nil
            operand = number.map { .number($0) } ?? .absent
        case .text, .bytes:
            number = nil
            operand = (try? value?.bytes).map { .bytes($0) } ?? .absent
        }
    }

    /// Whether a condition holds for a record that lacks its field.
    ///
    /// - Parameter empty: as for a chain.
    static func holdsWhenMissing(_ condition: RecordSelection.Condition, empty: [UInt8]?) -> Bool {
        let facet = condition.test
        // Without a value it is asked for lists that have no element.
        guard !condition.isOfElements else { return (facet.comparison == .equal) == (condition.value == nil) }
        // Without a value for what was never written, such a record cannot be read.
        let isReadable = facet.isOptional || empty != nil
        return isReadable && (try? holds(facet, forMissingIn: empty ?? [])) ?? false
    }

    /// Whether all tests of a chain hold for a record.
    static func hold(_ tests: FieldTest?, for record: RawSpan) throws(RecordProblem) -> Bool {
        var cursor = RecordCursor()
        guard try tests?.hold(for: record, &cursor, nil) != false else { return false }
        // Of what is found all is looked at: a record whose end is damaged cannot be read.
        while try cursor.next(in: record) != nil {}
        return true
    }

    /// - Parameter content: of the field, where the test before was of it.
    private func hold(
        for record: RawSpan, _ cursor: inout RecordCursor, _ content: RecordField.Content?
    ) throws(RecordProblem) -> Bool {
        var content = content
        cursor.skip(to: tag, in: record)
        // Of a field that is there twice the last counts.
        while !cursor.isBehind(tag, in: record) {
            var ahead = cursor
            guard let field = try ahead.next(in: record), field.tag <= tag else { break }
            if field.tag == tag { content = field.content }
            cursor = ahead
        }
        guard try holds(for: content, in: record) else { return false }
        return try next?.hold(for: record, &cursor, next?.tag == tag ? content : nil) ?? true
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
    private func holds(for content: RecordField.Content?, in record: RawSpan) throws(RecordProblem) -> Bool {
        if let number, case .number(let found)? = content { return try holds(found, number) }
        switch (content, operand) {
        case (nil, _): return holdsWhenMissing
        case (let content?, .element(let element)):
            let isThere = try Self.has(element, content, in: record)
            return isThere == ((facet.comparison == .equal) == (element != nil))
        case (_?, .absent): return facet.comparison == .unequal
        case (.number(let found)?, .number(let operand)): return try holds(found, operand)
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

    private func holds(_ stored: UInt64, _ operand: UInt64) throws(RecordProblem) -> Bool {
        let found: UInt64 =
            switch facet.kind {
            case .signed: UInt64(bitPattern: try TaggedValue.number(stored).signed) ^ 1 << 63
            case .real: OrderedBytes.bits(Double(bitPattern: stored))
            default: stored
            }
        return facet.comparison.holds(found < operand ? -1 : found == operand ? 0 : 1)
    }
}

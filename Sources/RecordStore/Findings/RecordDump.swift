import StorageEngine

/// The fields of a record, a line each: its bytes, and what tag, wire type and content mean.
package struct RecordDump {
    private var text: DumpText

    init(_ text: DumpText) { self.text = text }

    /// The text, with what was found wrong counted in it.
    consuming func finish() -> DumpText { text }

    mutating func record(_ bytes: [UInt8], _ schema: RecordSchema) {
        fields(bytes, 0..<bytes.count, schema, indent: "")
    }

    /// Goes on as long as the bytes are fields; the rest is shown as it is.
    private mutating func fields(_ bytes: [UInt8], _ range: Range<Int>, _ schema: RecordSchema, indent: String) {
        let piece = DumpedBytes(bytes)
        let record = Array(bytes[range])
        let (found, problem) = Self.fields(of: record)
        for field in found {
            let known = schema.field(field.tag)
            let words = indent + words(field, known, record)
            text.field(piece, range.lowerBound + field.range.lowerBound, field.range.count, words)
            if case .record(let inner) = known?.kind, case .bytes(let content) = field.content {
                let start = range.lowerBound + content.lowerBound
                fields(bytes, start..<start + content.count, inner, indent: indent + "  ")
            }
        }
        guard let problem else { return }
        text.misfit(problem.description)
        let rest = range.lowerBound + (found.last?.range.upperBound ?? 0)
        for offset in stride(from: rest, to: range.upperBound, by: 16) {
            text.field(piece, offset, min(16, range.upperBound - offset), "")
        }
    }

    /// The fields up to the first that is none, and why it is none.
    private static func fields(of record: [UInt8]) -> (found: [RecordField], problem: RecordProblem?) {
        DumpedBytes(record).withSpan { record in
            var found: [RecordField] = []
            var cursor = RecordCursor()
            do throws(RecordProblem) {
                while let field = try cursor.next(in: record) { found.append(field) }
                return (found, nil)
            } catch { return (found, error) }
        }
    }

    private func words(_ field: RecordField, _ known: RecordSchema.Field?, _ record: [UInt8]) -> String {
        // The lowest bits of the first byte.
        let wireType = UInt64(record[field.range.lowerBound] & 7)
        let head = "tag \(field.tag), wire type \(wireType)"
        guard let known else { return "\(head): unknown here, kept as it is" }
        return "\(head): \(known.name) \(value(field, known.kind, record))"
    }

    private func value(_ field: RecordField, _ kind: RecordSchema.Kind, _ record: [UInt8]) -> String {
        switch (field.content, kind) {
        case (.bytes(let range), .declared(let words)): return words(.bytes(Array(record[range])))
        case (.number(let number), .declared(let words)):
            let isWide = UInt64(record[field.range.lowerBound] & 7) == RecordField.WireType.eightBytes
            return words(isWide ? .eightBytes(number) : .number(number))
        case (.bytes(let range), .text): return Self.quoted(record[range])
        case (.bytes(let range), .record(let schema)): return "is a record, \(schema.name), of \(range.count) bytes"
        case (.bytes(let range), _): return "holds \(range.count) bytes where a number belongs"
        case (.number(let number), .identifier): return ID<AppRecord>(rawValue: number).description
        case (.number(let number), .number): return String(number)
        case (.number, .signed): return signed(field)
        case (.number, .days):
            return (try? field.signed(as: Int32.self)).map { "\(Day(daysSince1970: $0))" } ?? signed(field)
        case (.number, .milliseconds): return signed(field) + " ms since 1970"
        case (.number(let number), .named(let name)):
            return UInt8(exactly: number).flatMap(name).map { "\(number), \($0)" } ?? "\(number), unknown here"
        case (.number(let number), .flags(let flags)):
            return "\(number): " + flags.filter { number & $0.flag != 0 }.map(\.name).joined(separator: ", ")
        case (.number(let number), _): return "holds the number \(number) where bytes belong"
        }
    }

    private func signed(_ field: RecordField) -> String {
        (try? field.signed(as: Int64.self)).map { String($0) } ?? "out of range"
    }

    /// Text as people read it, cut, with control characters as digits.
    package static func quoted(_ bytes: some Collection<UInt8>) -> String {
        guard let whole = String(validating: Array(bytes), as: UTF8.self) else { return DumpText.words(bytes) }
        var text = "\""
        for scalar in whole.unicodeScalars.prefix(64) {
            if scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar == "\"" || scalar == "\\" {
                text += scalar.escaped(asASCII: true)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text + (whole.unicodeScalars.count > 64 ? "\"…" : "\"")
    }
}

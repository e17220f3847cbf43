import BookImport

/// Comma-separated text as the documentation of `CSVReader` tells it, slow and obvious: the whole input at hand, no limits, and
/// a quote that never closes is found by looking for its end.
enum PlainCSV {
    /// A record as it can be compared.
    struct Record: Equatable, CustomStringConvertible {
        var line: Int
        var fields: [String]
        var problem: CSVRecord.Problem?
        var isRescanned: Bool
        var byteCount: Int

        var description: String { "\(line)\(isRescanned ? "*" : "") \(fields) \(problem.map { "\($0)" } ?? "")" }
    }

    static func records(of input: [UInt8], _ given: CSVSeparator?) -> [Record] {
        var text = input[...]
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        var parser = Parser(text: Array(text), separator: CSVSeparator.comma.rawValue)
        let header = parser.headerEnd
        let line = parser.headerLine(before: header)
        let declared = line.count == 5 && line.starts(with: "sep=".utf8) ? line.last : nil
        if let declared = declared.flatMap(CSVSeparator.init) {
            parser.separator = (given ?? declared).rawValue
            parser.position = parser.behindLineEnd(header)
            parser.line = parser.lineNumber(behind: header)
        } else {
            parser.separator = (given ?? parser.mostFrequent(before: header)).rawValue
        }
        while parser.position < parser.text.count { parser.record() }
        return parser.records
    }
}

extension PlainCSV.Record {
    init(_ record: CSVRecord) {
        self.init(
            line: record.line, fields: (0..<record.count).map { record.text(at: $0) }, problem: record.problem,
            isRescanned: record.isRescanned, byteCount: record.bytes.count)
    }
}

private struct Parser {
    let text: [UInt8]
    var separator: UInt8
    var position = 0
    var line = 1
    var records: [PlainCSV.Record] = []
    private var hasRescanned = false

    init(text: [UInt8], separator: UInt8) {
        self.text = text
        self.separator = separator
    }

    // MARK: The header

    /// The end of the first line outside quotes that has anything, not counting bytes of a byte-order mark.
    var headerEnd: Int {
        var (isInQuotes, hasBegun) = (false, false)
        for (index, byte) in text.enumerated() {
            if byte == UInt8(ascii: "\"") { isInQuotes.toggle() }
            if isLineEnd(byte) {
                if !isInQuotes, hasBegun { return index }
            } else if ![0xEF, 0xBB, 0xBF].contains(byte) {
                hasBegun = true
            }
        }
        return text.count
    }

    /// The line that ends there, without those before it that have nothing.
    func headerLine(before end: Int) -> ArraySlice<UInt8> { text[..<end].drop(while: isLineEnd) }

    /// The line behind one that ends there.
    func lineNumber(behind end: Int) -> Int { lineCount(0..<end) + 2 }

    func mostFrequent(before end: Int) -> CSVSeparator {
        let outside = text[..<end].split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.flatMap(\.element)
        func count(_ separator: CSVSeparator) -> Int { outside.count { $0 == separator.rawValue } }
        if count(.tab) > max(count(.comma), count(.semicolon)) { return .tab }
        return count(.semicolon) > count(.comma) ? .semicolon : .comma
    }

    // MARK: Records

    private func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    func behindLineEnd(_ end: Int) -> Int {
        guard end < text.count else { return end }
        return text[end...].starts(with: [0x0D, 0x0A]) ? end + 2 : end + 1
    }

    private func lineEnd(from start: Int) -> Int { text[start...].firstIndex(where: isLineEnd) ?? text.count }

    /// CR, LF and the two together each end a line.
    private func lineCount(_ range: Range<Int>) -> Int {
        range.count { index in text[index] == 0x0D || (text[index] == 0x0A && (index == 0 || text[index - 1] != 0x0D)) }
    }

    mutating func record() {
        let start = position
        var fields: [[UInt8]] = []
        var fieldStart = start
        while true {
            guard let field = field(at: fieldStart) else {
                let end = lineEnd(from: fieldStart)
                let quoteLine = line + lineCount(start..<fieldStart)
                fields.append(Array(text[fieldStart..<end]))
                deliver(fields, start..<end, .unclosedQuote(line: quoteLine, skippedThrough: nil))
                hasRescanned = end < text.count
                line = quoteLine + 1
                position = behindLineEnd(end)
                return
            }
            fields.append(field.content)
            if field.end < text.count, text[field.end] == separator {
                fieldStart = field.end + 1
                continue
            }
            if field.end > start || fields.count > 1 {
                deliver(fields, start..<field.end, text[start..<field.end].contains(0) ? .holdsNUL : nil)
            }
            line += lineCount(start..<field.end) + 1
            position = behindLineEnd(field.end)
            return
        }
    }

    private mutating func deliver(_ fields: [[UInt8]], _ range: Range<Int>, _ problem: CSVRecord.Problem?) {
        records.append(
            PlainCSV.Record(
                line: line, fields: fields.map { String(decoding: $0, as: UTF8.self) }, problem: problem,
                isRescanned: hasRescanned, byteCount: range.count))
    }

    /// `nil` when its quote never closes.
    private func field(at start: Int) -> (content: [UInt8], end: Int)? {
        func end(from index: Int) -> Int {
            text[index...].firstIndex { $0 == separator || isLineEnd($0) } ?? text.count
        }
        guard start < text.count, text[start] == UInt8(ascii: "\"") else {
            return (Array(text[start..<end(from: start)]), end(from: start))
        }
        var content: [UInt8] = []
        var index = start + 1
        while let quote = text[index...].firstIndex(of: UInt8(ascii: "\"")) {
            content += text[index..<quote]
            index = quote + 1
            if index < text.count, text[index] == UInt8(ascii: "\"") {
                content.append(UInt8(ascii: "\""))
                index += 1
            } else {
                return (content + text[index..<end(from: index)], end(from: index))
            }
        }
        return nil
    }
}

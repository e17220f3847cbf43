import BookImport

/// A record as a test compares it.
struct ReadRecord: Equatable, CustomStringConvertible {
    var line: Int
    var fields: [String]
    var problem: CSVRecord.Problem?
    var isRescanned = false

    init(_ record: CSVRecord) {
        line = record.line
        fields = (0..<record.count).map { record.text(at: $0) }
        problem = record.problem
        isRescanned = record.isRescanned
    }

    init(_ line: Int, _ fields: String...) {
        self.line = line
        self.fields = fields
    }

    var description: String {
        "\(line): \(fields)" + (problem.map { " (\($0))" } ?? "")
    }
}

/// Reads bytes in pieces of one size, or in one piece.
func records(
    of bytes: [UInt8], chunkSize: Int = .max, separator: CSVSeparator? = nil, limits: CSVReader.Limits = .init()
) throws(CSVError) -> [ReadRecord] {
    var reader = CSVReader(separator: separator, limits: limits)
    var record = CSVRecord()
    var result: [ReadRecord] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        let chunk = Array(rest.prefix(chunkSize))
        rest = rest.dropFirst(chunk.count)
        reader.append(chunk)
        while try reader.next(into: &record) { result.append(ReadRecord(record)) }
    }
    reader.finish()
    while try reader.next(into: &record) { result.append(ReadRecord(record)) }
    return result
}

func records(of text: String, separator: CSVSeparator? = nil) throws(CSVError) -> [ReadRecord] {
    try records(of: Array(text.utf8), separator: separator)
}

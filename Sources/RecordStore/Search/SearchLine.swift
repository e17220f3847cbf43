import Filing
import StorageEngine

/// The line of folded text that a search looks through, of one record after the other: see `SearchText`.
struct SearchLine {
    private let fields: [SearchedField]
    private var folder = TextFolder()

    init(of fields: [SearchedField]) { self.fields = fields }

    /// What `body` makes of the line; `nil` for a record that cannot be read.
    mutating func with<Result>(_ record: RawSpan, id: UInt64, _ body: (RawSpan) -> Result) -> Result? {
        folder.removeAll()
        // Copied where a field has to be decoded.
        var bytes: RecordBytes?
        for field in fields {
            do {
                if let tag = field.tag {
                    try append(tag, of: record, orElse: field.missing)
                } else {
                    if bytes == nil { bytes = RecordBytes(record.copyBytes(0..<record.byteCount)) }
                    append(try field.texts(bytes ?? RecordBytes([]), id))
                }
            } catch {
                return nil
            }
        }
        folder.removeLast { $0 == SearchText.fieldEnd }
        return folder.bytes.withBytes(body)
    }

    private mutating func append(
        _ tag: UInt32, of record: RawSpan, orElse missing: [String]?
    ) throws(RecordProblem) {
        switch try TaggedWalk.place(ofTag: tag, in: record) {
        case .bytes(let range):
            // What is no UTF-8 is looked through as it is read, mended.
            guard record.extracting(range).isASCII else {
                return append(String(decoding: record.copyBytes(range), as: UTF8.self))
            }
            SearchText.append(record, range, to: &folder)
            folder.begin(behind: SearchText.fieldEnd)
        case .missing:
            guard let missing else { throw RecordProblem("field \(tag) is not there") }
            append(missing)
        case .number: throw RecordProblem("a field is a number where bytes are expected")
        }
    }

    /// A field without any text is there, too: what follows it is none of its own.
    private mutating func append(_ texts: [String]) {
        for text in texts { append(text) }
        if texts.isEmpty { folder.begin(behind: SearchText.fieldEnd) }
    }

    private mutating func append(_ text: String) {
        Array(text.utf8).withBytes { SearchText.append($0, 0..<$0.byteCount, to: &folder) }
        folder.begin(behind: SearchText.fieldEnd)
    }
}

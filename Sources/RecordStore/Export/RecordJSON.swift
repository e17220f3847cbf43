/// The app's own records as lines of JSON. Without their types nobody knows what a field means, so it has its number for a name:
///
///     {"type":"record","kind":"Loan","id":"a3f09c-12","fields":{"1":{"bits":"00a3f09c00000004"},"2":"Ann"}}
///
/// A varint is a number, so that −1 is 1 and 1 is 2; eight bytes are hexadecimal `bits`; bytes are a text when they are UTF-8
/// without control characters, and hexadecimal `bytes` otherwise.
enum RecordJSON {
    /// - Throws: `LibraryError.damaged` for bytes that are no record.
    static func line(_ kind: String, _ identifier: ID<AppRecord>, _ value: [UInt8]) throws(LibraryError) -> String {
        do throws(RecordProblem) {
            let (version, fields) = try fields(of: value)
            var json = JSONWriter()
            json.object { json in
                json.member("type", "record")
                json.member("kind", kind)
                json.member("id", identifier.description)
                if let version { json.member("version", version) }
                json.object("fields") { json in
                    for (name, content) in fields { write(name, content, to: &json) }
                }
            }
            return json.text
        } catch {
            throw .damagedRecord("\(kind) \(identifier)", error.description)
        }
    }

    private enum Content {
        case number(UInt64)
        case bits(UInt64)
        case bytes([UInt8])
    }

    private static func fields(
        of value: [UInt8]
    ) throws(RecordProblem) -> (version: UInt64?, fields: [(name: String, content: Content)]) {
        try value.withBytes { (bytes) throws(RecordProblem) in
            var version: UInt64?
            var fields: [(name: String, content: Content)] = []
            var cursor = RecordCursor()
            while let field = try cursor.next(in: bytes) {
                switch (field.tag, field.content) {
                case (FieldNumber.versionTag, .number(let number)): version = number
                case (let tag, .number(let number)):
                    let isWide = bytes.byte(at: field.range.lowerBound) & 7 == RecordField.WireType.eightBytes
                    fields.append((name(of: tag), isWide ? .bits(number) : .number(number)))
                case (let tag, .bytes(let range)): fields.append((name(of: tag), .bytes(bytes.copyBytes(range))))
                }
            }
            return (version, fields)
        }
    }

    private static func name(of tag: UInt32) -> String {
        FieldNumber.number(ofTag: tag).map { String($0) } ?? "tag \(tag)"
    }

    private static func write(_ name: String, _ content: Content, to json: inout JSONWriter) {
        switch content {
        case .number(let number): json.member(name, number)
        case .bits(let number): json.object(name) { $0.member("bits", [UInt8].bigEndian(number).hexadecimal) }
        case .bytes(let bytes):
            if let text = String(validating: bytes, as: UTF8.self),
                !text.unicodeScalars.contains(where: { $0.value < 9 })
            {
                json.member(name, text)
            } else {
                json.object(name) { $0.member("bytes", bytes.hexadecimal) }
            }
        }
    }
}

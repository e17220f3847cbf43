import StorageEngine

/// A field that a search of records looks through.
struct SearchedField {
    /// Its tag, of a text that can be read where it lies.
    let tag: UInt32?
    /// What a record has there that lacks the field; `nil` when such a record cannot be read.
    let missing: [String]?
    /// Reads it from a record otherwise.
    ///
    /// - Throws: `RecordProblem` or `LibraryError` when it cannot be read.
    let texts: (_ record: RecordBytes, _ id: UInt64) throws -> [String]

    /// A text of a kind whose type is not known, or a list of texts.
    init(_ tag: UInt32, isList: Bool) {
        self.tag = isList ? nil : tag
        missing = []
        texts = { record, _ in
            guard case .bytes(let range) = try TaggedWalk.place(ofTag: tag, in: record) else { return [] }
            let list = TaggedValue.bytes(Array(record.bytes[range]))
            return try list.elements.map { String(decoding: try $0.bytes, as: UTF8.self) }
        }
    }

    init<Value: Record, Text: SearchedText>(_ path: KeyPath<Value, Text> & Sendable) {
        let kind = RecordKind<Value>.current
        let reader = kind.fields.known.reader(of: path)
        let isText = Text.self == String.self || Text.self == String?.self
        tag = isText && kind.upgrades.isEmpty ? kind.tag(of: path) : nil
        missing = try? reader.content(RecordBytes([]), 0).searchedTexts
        texts = { record, id in try reader.content(record, id).searchedTexts }
    }
}

import StorageEngine

/// The fields of a unique key as one record has them, to find another that has the same by its bytes: some fifty nanoseconds a record.
///
/// For keys of fields that are compared as they are written. A text that was mended, or that is filed or folded, is found by its key alone.
struct KeyLook {
    /// By tag.
    private var fields: [Field] = []

    private struct Field {
        let tag: UInt32
        let content: Content
        /// Whether a record without the field has the same.
        let isAsMissing: Bool
    }

    private enum Content: Equatable {
        case absent
        case number(UInt64)
        case bytes([UInt8])
    }

    init?(_ order: StoredOrder, _ bytes: [UInt8]) {
        let declaration = order.declaration
        guard !declaration.needsCode, let own = try? RecordFields(bytes),
            let blank = try? RecordFields(declaration.blank)
        else { return nil }
        for component in declaration.components {
            guard component.linked == nil, component.partTag == nil,
                component.collation == .written, component.occurrence == .always || component.occurrence == .present,
                component.kind != .real
            else { return nil }
            let missing = component.isOptional ? nil : blank[component.tag]
            guard let content = Self.content(own[component.tag] ?? missing, component.kind),
                let missingContent = Self.content(missing, component.kind)
            else { return nil }
            // Who names a field twice asks for it once.
            guard !fields.contains(where: { $0.tag == component.tag }) else { continue }
            fields.append(Field(tag: component.tag, content: content, isAsMissing: content == missingContent))
        }
        fields.sort { $0.tag < $1.tag }
    }

    /// `nil` for a value that can be stored as different bytes.
    private static func content(_ value: TaggedValue?, _ kind: FieldKind) -> Content? {
        guard let value else { return .absent }
        guard kind == .text || kind == .bytes else { return (try? value.number).map { .number($0) } }
        guard let bytes = try? value.bytes else { return nil }
        // U+FFFD is what bytes that are not UTF-8 are read as.
        let isMended = kind == .text && String(decoding: bytes, as: UTF8.self).unicodeScalars.contains("\u{FFFD}")
        return isMended ? nil : .bytes(bytes)
    }

    /// The first record behind an identifier that has the fields, but for one. O(n) for n records behind it.
    func first(
        ofKind kind: String, after id: UInt64, besides own: UInt64, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> UInt64? {
        guard let tree = trees.kindTree(kind) else { return nil }
        var found: UInt64?
        try translatingErrors {
            try trees.scan(tree, prefix: [], after: .bigEndian(id)) { key, record in
                guard key.byteCount == 8, matches(record) else { return true }
                let candidate = key.trailingIdentifier
                if candidate != own { found = candidate }
                return found == nil
            }
        }
        return found
    }

    private func matches(_ record: RawSpan) -> Bool {
        var cursor = RecordCursor()
        var next = try? cursor.next(in: record)
        for field in fields {
            var last: RecordField?
            // Of a field that is there twice the last counts.
            while let found = next, found.tag <= field.tag {
                if found.tag == field.tag { last = found }
                next = try? cursor.next(in: record)
            }
            guard let last else {
                guard field.isAsMissing else { return false }
                continue
            }
            switch (last.content, field.content) {
            case (.number(let number), .number(let own)): guard number == own else { return false }
            case (.bytes(let range), .bytes(let own)):
                guard range.count == own.count, record.extracting(range).order(relativeTo: own) == 0 else {
                    return false
                }
            default: return false
            }
        }
        return true
    }
}

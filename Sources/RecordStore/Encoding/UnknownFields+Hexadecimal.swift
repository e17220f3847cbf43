import StorageEngine

/// As they stand in an export.
extension UnknownFields {
    /// All of them, one behind the other.
    package var hexadecimal: String { fields.flatMap(\.bytes).hexadecimal }

    /// `nil` for a text that is not that of fields in ascending order.
    package init?(hexadecimal text: String) {
        guard let bytes = [UInt8](hexadecimal: text) else { return nil }
        let found: [Field]? = bytes.withBytes { span in
            var (found, cursor) = ([Field](), RecordCursor())
            do throws(RecordProblem) {
                while let field = try cursor.next(in: span) { found.append(field.kept(from: span)) }
                return found
            } catch {
                return nil
            }
        }
        guard let found, zip(found, found.dropFirst()).allSatisfy({ $0.tag <= $1.tag }) else { return nil }
        self.init()
        for field in found { append(field) }
    }
}

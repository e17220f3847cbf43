import StorageEngine

/// Keeps, when a record is updated, what the app that updates it does not know.
///
/// Of each field there are three states: as it is stored, as this version of the app reads and would write it, and as it is to
/// be. A field that the app did not change stays as it is stored, whatever is in it, and where it is not: what this version reads as nothing, or as a
/// default, another one may have moved elsewhere.
enum RecordMerge {
    static func merged(_ new: [UInt8], read: [UInt8], stored: [UInt8]) throws(RecordProblem) -> [UInt8] {
        guard read != stored else { return new }
        let (new, read, stored) = (try fields(of: new), try fields(of: read), try fields(of: stored))
        var merged: [UInt8] = []
        for tag in Set(new.keys).union(stored.keys).sorted() {
            let isUnchanged = new[tag] == read[tag] && !isRespelt(stored[tag], new[tag])
            merged += (isUnchanged ? stored[tag] : new[tag]) ?? []
        }
        return merged
    }

    /// Whether a text is the same one as another, with other signs for its letters, as an enumeration's raw value may come to be written. What is kept as
    /// it is stored would be found by no condition.
    private static func isRespelt(_ stored: [UInt8]?, _ new: [UInt8]?) -> Bool {
        guard let stored, let new, stored != new, let text = text(of: stored) else { return false }
        return text == self.text(of: new)
    }

    /// `nil` for a field that is no text.
    private static func text(of field: [UInt8]) -> String? {
        field.withBytes { bytes in
            var cursor = RecordCursor()
            guard case .bytes(let range)? = (try? cursor.next(in: bytes))?.content else { return nil }
            return String(validating: bytes.copyBytes(range), as: UTF8.self)
        }
    }

    /// The fields that two records have with the same content; of a set and a dictionary, which are written in another order each time, with
    /// the same bytes in any order.
    static func common(_ first: [UInt8], _ second: [UInt8]) throws(RecordProblem) -> [UInt8] {
        let (first, second) = (try fields(of: first), try fields(of: second))
        return first.keys.sorted().filter { first[$0]?.sorted() == second[$0]?.sorted() }.flatMap { first[$0] ?? [] }
    }

    static func leavingOut(_ tags: Set<UInt32>, of record: [UInt8]) throws(RecordProblem) -> [UInt8] {
        guard !tags.isEmpty else { return record }
        let fields = try fields(of: record)
        return fields.keys.sorted().filter { !tags.contains($0) }.flatMap { fields[$0] ?? [] }
    }

    /// Each field's bytes by its tag; those of one tag together.
    static func fields(of record: [UInt8]) throws(RecordProblem) -> [UInt32: [UInt8]] {
        try record.withBytes { (bytes) throws(RecordProblem) in
            var fields: [UInt32: [UInt8]] = [:]
            var cursor = RecordCursor()
            while let field = try cursor.next(in: bytes) {
                fields[field.tag, default: []] += bytes.copyBytes(field.range)
            }
            return fields
        }
    }
}

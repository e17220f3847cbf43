import StorageEngine

/// Takes back what a change did to a record that has changed since: field by field.
package struct FieldReversal {
    /// The record as it is, with the fields as they were before that the change differs in.
    package let bytes: [UInt8]

    /// The tags of fields that the change differs in and that are others since. Where there are any, `bytes` is of no use.
    package let contested: [UInt32]

    /// - Parameters:
    ///   - current: the record as it is now.
    ///   - after: as the change has left it.
    ///   - before: as it was before the change.
    ///   - versionTag: of the field that says which version of a type wrote the record.
    /// - Throws: `RecordProblem` for bytes that are no record.
    package init(
        _ current: [UInt8], after: [UInt8], before: [UInt8], versionTag: UInt32? = nil
    ) throws(RecordProblem) {
        guard current != after else {
            (bytes, contested) = (before, [])
            return
        }
        let current = try RecordMerge.fields(of: current)
        let (after, before) = (try RecordMerge.fields(of: after), try RecordMerge.fields(of: before))
        var (bytes, contested): ([UInt8], [UInt32]) = ([], [])
        // What another version of the type has written means something else under the same numbers.
        if let versionTag, current[versionTag] != before[versionTag] { contested.append(versionTag) }
        for tag in Set(current.keys).union(before.keys).sorted() {
            let isOwn = before[tag] != after[tag]
            if isOwn, current[tag] != after[tag], current[tag] != before[tag] { contested.append(tag) }
            bytes += (isOwn ? before[tag] : current[tag]) ?? []
        }
        (self.bytes, self.contested) = (bytes, contested)
    }
}

/// The notes that are written here. They say something about their commit and change nothing; `Formats/LOG.md` lists all codes that are set
/// aside.
package enum LogNote {
    /// What an entry was before the commit replaced or removed it; see `EntryBefore`.
    package static let before: UInt8 = 64

    /// What the commit is called, for people: UTF-8.
    package static let name: UInt8 = 67

    /// The number of the commit that this one undoes, eight bytes.
    package static let undone: UInt8 = 68
}

/// An entry as it was before a commit replaced or removed it.
package struct EntryBefore: Equatable, Sendable {
    package let tree: TreeNumber
    package let key: [UInt8]
    package let value: [UInt8]

    package init(tree: TreeNumber, key: [UInt8], value: [UInt8]) {
        (self.tree, self.key, self.value) = (tree, key, value)
    }

    /// - Precondition: the key is one that a tree takes.
    package var note: [UInt8] {
        precondition(Limits.keyByteCount.contains(key.count), "a key has 1 to \(Limits.keyByteCount.upperBound) bytes")
        var bytes: [UInt8] = []
        bytes.reserveCapacity(OperationField.Before.end + 4 + key.count + value.count)
        bytes.append(zeros: OperationField.Before.end)
        bytes.store(UInt16(key.count), in: OperationField.Before.keyCount, at: 0)
        bytes.append(variableLengthNumber: tree.rawValue)
        bytes += key
        bytes += value
        return bytes
    }

    /// `nil` for bytes that say no such thing.
    package init?(note: [UInt8]) {
        let parts = note.withBytes { note -> (tree: TreeNumber, key: Range<Int>)? in
            guard note.byteCount >= OperationField.Before.end,
                let (number, behind) = note.variableLengthNumber(at: OperationField.Before.end),
                TreeNumber.all.contains(number)
            else { return nil }
            let keyCount = Int(note.load(OperationField.Before.keyCount, at: 0))
            guard Limits.keyByteCount.contains(keyCount), note.byteCount - behind >= keyCount else { return nil }
            return (TreeNumber(number), behind..<behind + keyCount)
        }
        guard let parts else { return nil }
        self.init(tree: parts.tree, key: Array(note[parts.key]), value: Array(note[parts.key.upperBound...]))
    }
}

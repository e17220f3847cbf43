import StorageEngine

/// The keys of the indexes of app records.
package enum AppRecordKey {
    /// Of the name of a kind, and of that of an index.
    package static let nameByteCount = 1...64

    /// Name ‖ 00: what the keys of a kind begin with, and by itself the key of the stamp of its indexes.
    static func prefix(_ kind: [UInt8]) -> [UInt8] { kind + [LibraryKey.separator] }

    /// Name ‖ 00 ‖ name of the index ‖ 00.
    package static func prefix(_ kind: [UInt8], index: String) -> [UInt8] {
        prefix(kind) + Array(index.utf8) + [LibraryKey.separator]
    }

    static func entry(_ kind: [UInt8], index: String, _ value: OrderedValue, _ id: UInt64) -> [UInt8] {
        var key = prefix(kind, index: index) + value.key
        key.append(bigEndian: id)
        return key
    }

    /// The first key behind all that begin with `prefix`, which ends with a byte that can be counted up.
    static func end(of prefix: [UInt8]) -> [UInt8] {
        var end = prefix
        while let last = end.popLast() {
            if last < 0xFF { return end + [last + 1] }
        }
        return [UInt8](repeating: 0xFF, count: 64)
    }

    /// The kind and the identifier in a key of an index; `nil` for a stamp, and for bytes that are no such key.
    /// Whether a text may be the name of a kind.
    static func isName(_ name: String) -> Bool {
        nameByteCount.contains(name.utf8.count) && !name.utf8.contains(LibraryKey.separator)
    }

    package static func entryParts(_ key: [UInt8]) -> (kind: [UInt8], index: [UInt8], id: UInt64)? {
        guard let end = key.firstIndex(of: LibraryKey.separator), nameByteCount.contains(end),
            let indexEnd = key[(end + 1)...].firstIndex(of: LibraryKey.separator),
            nameByteCount.contains(indexEnd - end - 1), key.count >= indexEnd + 1 + 1 + 8
        else { return nil }
        return (Array(key[..<end]), Array(key[(end + 1)..<indexEnd]), key.number(at: key.count - 8))
    }
}

extension RawSpan {
    /// The identifier that a key ends in; 0 for one that is too short to have any.
    package var trailingIdentifier: UInt64 { byteCount < 8 ? 0 : loadBigEndian(at: byteCount - 8) }
}

import StorageEngine

/// What keys begin with that name a kind of app records, and an order of it.
package enum AppRecordKey {
    /// Of the name of a kind, and of that of an order.
    package static let nameByteCount = 1...64

    /// Name ‖ 00: what the keys of a kind begin with.
    static func prefix(_ kind: [UInt8]) -> [UInt8] { kind + [LibraryKey.separator] }

    /// Name ‖ 00 ‖ name of the order ‖ 00.
    package static func prefix(_ kind: [UInt8], index: String) -> [UInt8] {
        prefix(kind) + Array(index.utf8) + [LibraryKey.separator]
    }

    /// The first key behind all that begin with `prefix`, which ends with a byte that can be counted up.
    static func end(of prefix: [UInt8]) -> [UInt8] {
        var end = prefix
        while let last = end.popLast() {
            if last < 0xFF { return end + [last + 1] }
        }
        return [UInt8](repeating: 0xFF, count: 64)
    }

    /// Whether a text may be the name of a kind.
    static func isName(_ name: String) -> Bool {
        nameByteCount.contains(name.utf8.count) && !name.utf8.contains(LibraryKey.separator)
    }
}

extension RawSpan {
    /// The identifier that a key ends in; 0 for one that is too short to have any.
    package var trailingIdentifier: UInt64 { byteCount < 8 ? 0 : loadBigEndian(at: byteCount - 8) }
}

import BookDB

/// A row of the list that queries begin at and changes are made to.
struct Anchor: Codable, Sendable {
    var place: Int64
    var id: Int64
    var title: String
    var authors: String
    /// BookDB's cursor behind the row.
    var cursor: String

    /// What the work is filed under, as BookDB's cursor spells it: a letter, the key in hexadecimal, 00 and the work's number.
    var key: [UInt8] { Self.key(ofCursor: cursor) }

    static func key(ofCursor cursor: String) -> [UInt8] {
        let digits = Array(cursor.utf8.dropFirst().dropLast(18))
        func value(_ digit: UInt8) -> UInt8 { digit < 0x3A ? digit - 0x30 : digit - 0x57 }
        return stride(from: 0, to: digits.count, by: 2).map { value(digits[$0]) << 4 | value(digits[$0 + 1]) }
    }
}

/// A new title for a work, and where it stands in the list then.
struct Renaming: Sendable {
    var id: Int64
    var title: String
    var place: Int64
    var key: [UInt8]
    var text: String
}

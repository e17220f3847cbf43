import BookDB

/// A row of the list that queries begin at and changes are made to.
struct Anchor: Sendable {
    let place: Int64
    let id: Int64
    let title: String
    let authors: String
    /// BookDB's cursor behind the row.
    let cursor: WorkCursor

    /// What the work is filed under.
    var key: [UInt8] { cursor.filingKey }
}

extension WorkCursor {
    /// What the row before the cursor is filed under: the cursor's text is a letter and the key in hexadecimal, which ends in 00 and
    /// the work's number.
    var filingKey: [UInt8] {
        let digits = Array(description.utf8.dropFirst().dropLast(18))
        func value(_ digit: UInt8) -> UInt8 { digit < 0x3A ? digit - 0x30 : digit - 0x57 }
        return stride(from: 0, to: digits.count, by: 2).map { value(digits[$0]) << 4 | value(digits[$0 + 1]) }
    }
}

extension Anchor: Codable {
    private enum CodingKeys: CodingKey {
        case place, id, title, authors, cursor
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        place = try container.decode(Int64.self, forKey: .place)
        id = try container.decode(Int64.self, forKey: .id)
        title = try container.decode(String.self, forKey: .title)
        authors = try container.decode(String.self, forKey: .authors)
        let text = try container.decode(String.self, forKey: .cursor)
        guard let cursor = WorkCursor(text) else { throw Failure("“\(text)” is no cursor") }
        self.cursor = cursor
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(place, forKey: .place)
        try container.encode(id, forKey: .id)
        try container.encode(title, forKey: .title)
        try container.encode(authors, forKey: .authors)
        try container.encode(cursor.description, forKey: .cursor)
    }
}

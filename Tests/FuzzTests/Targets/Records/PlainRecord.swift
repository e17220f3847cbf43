/// What the page on records says of each field, and whether a record is written as that page would write it.
enum PlainRecord {
    enum Field {
        /// Once at most.
        case text, number, signed
        /// The same, left out when empty or 0.
        case textOrNone, numberOrNone, signedOrNone
        /// As often as there are values.
        case texts, numbers, identifiers, series, sources
        /// A number of which only these bits are known; left out when 0.
        case bits(UInt64)
    }

    static let work: [UInt64: Field] = [
        1: .textOrNone, 2: .identifiers, 3: .signedOrNone, 4: .signed, 5: .text, 6: .numberOrNone, 7: .text, 8: .text,
        9: .text, 10: .text, 11: .texts, 12: .series, 13: .bits(0b001), 14: .text,
    ]
    static let edition: [UInt64: Field] = [
        1: .numbers, 2: .text, 3: .text, 4: .signed, 5: .text, 6: .signed, 7: .text, 8: .sources, 9: .text,
    ]
    static let author: [UInt64: Field] = [1: .textOrNone, 2: .textOrNone]
    static let entry: [UInt64: Field] = [
        1: .numberOrNone, 2: .numberOrNone, 3: .signed, 4: .signed, 5: .signedOrNone, 6: .bits(1), 7: .texts,
        8: .bits(0b110),
    ]
    private static let pair: [UInt64: Field] = [1: .textOrNone, 2: .textOrNone]
    private static let membership: [UInt64: Field] = [1: .textOrNone, 2: .text]

    /// Whether decoding loses nothing of it. Precondition: it could be decoded, so its lengths and order are right.
    static func isCanonical(_ record: [UInt8], _ shape: [UInt64: Field]) -> Bool {
        var cursor = Cursor(record: record)
        var last: UInt64 = 0
        while !cursor.isAtEnd {
            let header = cursor.varint()
            let (tag, wireType) = (header >> 3, header & 7)
            let number = wireType == 0 ? cursor.varint() : wireType == 1 ? cursor.bigEndian() : 0
            let bytes = wireType == 2 ? cursor.bytes() : []
            let isFirst = tag != last
            last = tag
            guard let field = shape[tag] else { continue }
            let isText = wireType == 2 && String(validating: bytes, as: UTF8.self) != nil
            let fits =
                switch field {
                case .text: isFirst && isText
                case .textOrNone: isFirst && isText && !bytes.isEmpty
                case .texts: isText
                case .number, .signed: isFirst && wireType == 0
                case .numberOrNone, .signedOrNone: isFirst && wireType == 0 && number != 0
                case .numbers: wireType == 0
                case .identifiers: wireType == 1
                case .bits(let known): isFirst && wireType == 0 && number != 0 && number & ~known == 0
                case .series: wireType == 2 && isCanonical(bytes, membership)
                case .sources: wireType == 2 && isCanonical(bytes, pair)
                }
            if !fits { return false }
        }
        return true
    }

    private struct Cursor {
        let record: [UInt8]
        var position = 0

        var isAtEnd: Bool { position >= record.count }

        mutating func varint() -> UInt64 {
            var value: UInt64 = 0
            var shift: UInt64 = 0
            while true {
                let byte = record[position]
                position += 1
                value |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return value }
                shift += 7
            }
        }

        mutating func bigEndian() -> UInt64 {
            defer { position += 8 }
            return record[position..<position + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }

        mutating func bytes() -> [UInt8] {
            let count = Int(varint())
            defer { position += count }
            return Array(record[position..<position + count])
        }
    }
}

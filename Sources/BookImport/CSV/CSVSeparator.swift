/// What stands between the fields of a record.
public enum CSVSeparator: UInt8, CaseIterable, Sendable {
    case comma = 0x2C
    case semicolon = 0x3B
    case tab = 0x09

    /// The one that occurs most often outside quotes in a header; a comma when none does.
    static func mostFrequent(in bytes: Span<UInt8>, _ range: Range<Int>) -> CSVSeparator {
        var counts = (comma: 0, semicolon: 0, tab: 0)
        var isInQuotes = false
        for index in range {
            switch bytes[index] {
            case .quote: isInQuotes.toggle()
            case _ where isInQuotes: break
            case comma.rawValue: counts.comma += 1
            case semicolon.rawValue: counts.semicolon += 1
            case tab.rawValue: counts.tab += 1
            default: break
            }
        }
        if counts.tab > max(counts.comma, counts.semicolon) { return .tab }
        return counts.semicolon > counts.comma ? .semicolon : .comma
    }
}

extension UInt8 {
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let quote: UInt8 = 0x22
}

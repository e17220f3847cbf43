/// What can be learnt from the first line of a file that has anything, before it is read as a record.
struct HeaderLine {
    /// How far the line was looked through; a source that gives single bytes does not have it looked through for each.
    private var position = 0
    private var isInQuotes = false
    /// Whether anything was met but ends of lines and a byte-order mark.
    private var hasBegun = false

    /// Where the first line outside quotes ends; nil while more input is needed to know.
    ///
    /// A line longer than `limit` ends there: it is no header, and its reader says so.
    ///
    /// - Parameter bytes: those of the call before, and more.
    mutating func end(in bytes: Span<UInt8>, isFinished: Bool, limit: Int) -> Int? {
        let last = min(bytes.count, limit)
        while position < last {
            switch bytes[position] {
            case .quote:
                isInQuotes.toggle()
                hasBegun = true
            case .lineFeed, .carriageReturn:
                if !isInQuotes, hasBegun { return position }
            case 0xEF, 0xBB, 0xBF: break
            default: hasBegun = true
            }
            position += 1
        }
        return isFinished || last == limit ? last : nil
    }

    /// How many lines end there: CR, LF and the two together each end one.
    static func lineEndCount(in bytes: ArraySlice<UInt8>) -> Int {
        var (count, followsCarriageReturn) = (0, false)
        for byte in bytes {
            if byte == .carriageReturn || byte == .lineFeed && !followsCarriageReturn { count += 1 }
            followsCarriageReturn = byte == .carriageReturn
        }
        return count
    }

    /// The separator of a first line `sep=;`.
    static func declaredSeparator(in line: ArraySlice<UInt8>) -> CSVSeparator? {
        let line = line.drop { $0 == .lineFeed || $0 == .carriageReturn }
        guard line.count == 5, line.starts(with: "sep=".utf8), let separator = line.last else { return nil }
        return CSVSeparator(rawValue: separator)
    }
}

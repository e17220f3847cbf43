/// What can be learnt from the first line of a file before it is read as a record.
enum HeaderLine {
    /// Where the first line outside quotes ends; nil while more input is needed to know.
    ///
    /// A line longer than `limit` ends there: it is no header, and its reader says so.
    static func end(in bytes: Span<UInt8>, isFinished: Bool, limit: Int) -> Int? {
        var isInQuotes = false
        let last = min(bytes.count, limit)
        for index in 0..<last {
            switch bytes[index] {
            case .quote: isInQuotes.toggle()
            case .lineFeed, .carriageReturn:
                if !isInQuotes { return index }
            default: break
            }
        }
        return isFinished || last == limit ? last : nil
    }

    /// The separator of a first line `sep=;`.
    static func declaredSeparator(in line: ArraySlice<UInt8>) -> CSVSeparator? {
        guard line.count == 5, line.starts(with: "sep=".utf8), let separator = line.last else { return nil }
        return CSVSeparator(rawValue: separator)
    }
}

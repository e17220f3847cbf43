/// How much a search does in one way before it tries another. It changes how long a search takes, and never what it finds.
struct SearchEffort: Sendable {
    /// So many lines are compared, or as much text looked through, before lists tell where matches are, or longer lists do.
    var lineCount = 8192
    /// Lists of so many bytes are read rather than lines compared, however few.
    var listByteCount = 1 << 18
    /// Comparing a line takes as long as reading so many bytes of lists.
    var lineCost = 100

    /// Lines of so few rows are compared rather than words looked for.
    static let fewRowCount = 64

    /// Looking through so many bytes takes as long as comparing a line.
    static let bytesPerLine = 512
}

/// How much a search does in one way before it tries another. It changes how long a search takes, and never what it finds.
package struct SearchEffort: Sendable {
    /// So many lines are compared, or as much text looked through, before lists tell where matches are, or longer lists do.
    var lineCount: Int
    /// Lists of so many bytes are read rather than lines compared, however few.
    var listByteCount: Int
    /// Comparing a line takes as long as reading so many bytes of lists.
    var lineCost: Int

    package init(lineCount: Int = 8192, listByteCount: Int = 1 << 18, lineCost: Int = 100) {
        (self.lineCount, self.listByteCount, self.lineCost) = (lineCount, listByteCount, lineCost)
    }

    /// Lines of so few rows are compared rather than words looked for.
    static let fewRowCount = 64

    /// Looking through so many bytes takes as long as comparing a line.
    static let bytesPerLine = 512
}

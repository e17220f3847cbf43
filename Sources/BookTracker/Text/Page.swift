/// Lines for a terminal of 90 columns: titles, tables and running text.
struct Page {
    static let width = 90

    enum Alignment { case left, right }

    private(set) var lines: [String] = []

    /// A line that begins a part of the page.
    mutating func title(_ text: String) {
        if !lines.isEmpty { lines.append("") }
        lines += Self.wrapped(text, width: Self.width)
    }

    /// Running text, broken between words.
    mutating func text(_ text: String, indent: Int = 2) {
        let margin = String(repeating: " ", count: indent)
        lines += Self.wrapped(text, width: Self.width - indent).map { margin + $0 }
    }

    /// Rows in columns as wide as they need to be. What does not fit is broken in the last column.
    mutating func table(_ rows: [[String]], _ alignments: [Alignment] = []) {
        let columnCount = rows.map(\.count).max() ?? 0
        guard columnCount > 0 else { return }
        let widths = (0..<columnCount).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        let lastStart = widths.dropLast().reduce(2) { $0 + $1 + 2 }
        for row in rows {
            var line = "  "
            for (column, cell) in row.dropLast().enumerated() {
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                let isRight = column < alignments.count && alignments[column] == .right
                line += (isRight ? padding + cell : cell + padding) + "  "
            }
            let rest = Self.wrapped(row.last ?? "", width: max(20, Self.width - lastStart))
            let margin = String(repeating: " ", count: lastStart)
            for (number, text) in rest.enumerated() { lines.append(Self.trimmed((number == 0 ? line : margin) + text)) }
            if rest.isEmpty { lines.append(Self.trimmed(line)) }
        }
    }

    private static func trimmed(_ line: String) -> String {
        var line = line
        while line.hasSuffix(" ") { line.removeLast() }
        return line
    }

    /// A word that is longer than a line, such as a path, is broken where the line is full.
    private static func wrapped(_ text: String, width: Int) -> [String] {
        var (lines, line) = ([String](), "")
        for word in text.split(whereSeparator: \.isWhitespace) {
            var word = word
            if !line.isEmpty {
                if line.count + 1 + word.count <= width {
                    line += " " + word
                    continue
                }
                lines.append(line)
            }
            while word.count > width {
                lines.append(String(word.prefix(width)))
                word = word.dropFirst(width)
            }
            line = String(word)
        }
        return line.isEmpty ? lines : lines + [line]
    }
}

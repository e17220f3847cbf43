/// Running text broken into lines.
enum Paragraph {
    /// Breaks at blanks; a text without any, as in Japanese, breaks where the line is full.
    static func lines(_ text: String, width: Int = 86, indent: Int = 2) -> [String] {
        let margin = String(repeating: " ", count: indent)
        return text.split(whereSeparator: \.isNewline).flatMap { paragraph in
            broken(DisplayWidth.printable(String(paragraph)), width: width - indent).map { margin + $0 }
        }
    }

    /// The same behind a label, which stands on the first line.
    static func lines(_ text: String, behind label: String) -> [String] {
        let width = DisplayWidth.of(label)
        let lines = lines(text, indent: width)
        guard let first = lines.first else { return [label] }
        return [label + first.dropFirst(width)] + lines.dropFirst()
    }

    private static func broken(_ paragraph: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        // That of the line so far: to measure it again for each character would take the square of a long one.
        var columns = 0
        func endLine() {
            lines.append(line)
            (line, columns) = ("", 0)
        }
        for word in paragraph.split(separator: " ") {
            if !line.isEmpty, columns + 1 + DisplayWidth.of(word) > width { endLine() }
            if !line.isEmpty {
                line += " "
                columns += 1
            }
            for character in word {
                let own = DisplayWidth.of(character)
                if columns + own > width { endLine() }
                line.append(character)
                columns += own
            }
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }
}

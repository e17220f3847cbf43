/// Rows in columns, as wide as they need to be and no wider than a terminal.
struct TextTable {
    enum Alignment { case left, right }

    struct Column {
        var title = ""
        var alignment = Alignment.left
        /// May be cut with an ellipsis when the table is too wide, down to this width.
        var leastWidth: Int?
        /// Dresses the text of a cell when it has its final form; adds nothing that takes room.
        var dress: ((String) -> String)?
    }

    /// The terminal's width, if there is one, within reason.
    static let maximumWidth = max(60, min(SystemCalls.columnCount(SystemCalls.standardOutput) ?? 90, 160))
    private static let gap = 2

    let columns: [Column]
    private(set) var rows: [[String]] = []

    init(_ columns: [Column]) {
        self.columns = columns
    }

    mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row has a cell for each column")
        rows.append(cells.map(DisplayWidth.printable))
    }

    /// The lines, the titles first when there are any. `heading` dresses the line of titles.
    func lines(indent: Int = 0, heading: (String) -> String = { $0 }) -> [String] {
        let widths = fittedWidths(within: Self.maximumWidth - indent)
        let margin = String(repeating: " ", count: indent)
        var lines = rows.map { margin + line($0, widths, isDressed: true) }
        if columns.contains(where: { !$0.title.isEmpty }) {
            lines.insert(heading(margin + line(columns.map(\.title), widths)), at: 0)
        }
        return lines
    }

    private func fittedWidths(within available: Int) -> [Int] {
        var widths = columns.indices.map { column in
            rows.reduce(DisplayWidth.of(columns[column].title)) { max($0, DisplayWidth.of($1[column])) }
        }
        var excess = widths.reduce(0, +) + Self.gap * (columns.count - 1) - available
        while excess > 0 {
            // The widest column that may shrink gives a place up, until all fit or none may.
            let shrinkable = columns.indices.filter { columns[$0].leastWidth.map { $0 } ?? .max < widths[$0] }
            guard let widest = shrinkable.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private func line(_ cells: [String], _ widths: [Int], isDressed: Bool = false) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            let text = DisplayWidth.fitted(cell, to: widths[index])
            let padding = String(repeating: " ", count: max(0, widths[index] - DisplayWidth.of(text)))
            if index > 0 { line += String(repeating: " ", count: Self.gap) }
            let dressed = isDressed ? columns[index].dress?(text) ?? text : text
            line += columns[index].alignment == .left ? dressed + padding : padding + dressed
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}

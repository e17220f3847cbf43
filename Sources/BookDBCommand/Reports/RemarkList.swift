/// Remarks on lines of a file, as many as fit a screen; those of the same words together.
enum RemarkList {
    private static let shownCount = 10

    /// - Parameter count: how many there are in all, also those that are not given.
    static func lines(_ remarks: [(line: Int, text: String)], of count: Int) -> [String] {
        var groups: [(lines: [Int], text: String)] = []
        var places: [String: Int] = [:]
        for remark in remarks {
            if let place = places[remark.text] {
                groups[place].lines.append(remark.line)
            } else {
                places[remark.text] = groups.count
                groups.append(([remark.line], remark.text))
            }
        }
        let shown = groups.prefix(shownCount)
        let labels = shown.map { group in
            group.lines.count == 1
                ? "line \(group.lines[0])"
                : "line \(group.lines[0]) and \(NumberText.count(group.lines.count - 1)) more"
        }
        let width = labels.map(\.count).max() ?? 0
        var lines = zip(shown, labels).flatMap { group, name in
            Paragraph.lines(
                DisplayWidth.printable(group.text),
                behind: "        " + name + String(repeating: " ", count: width - name.count + 2))
        }
        let rest = count - shown.reduce(0) { $0 + $1.lines.count }
        if rest > 0 {
            let listed = count == remarks.count ? "lists them" : "lists the first \(NumberText.count(remarks.count))"
            lines.append("        and \(NumberText.count(rest)) more; --json \(listed)")
        }
        return lines
    }
}

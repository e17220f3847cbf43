/// A specification page of `Formats/`, as tests read it: its tables, and its examples.
public struct FormatPage: Sendable {
    public struct Table: Sendable {
        /// The nearest heading above it, without the marks.
        public let heading: String
        public let columns: [String]
        public let rows: [[String]]

        /// A cell by its column; empty when there is no such column.
        public func cell(_ row: [String], _ column: String) -> String {
            columns.firstIndex(of: column).map { row[$0] } ?? ""
        }
    }

    public let name: String
    public let lines: [String]
    public private(set) var tables: [Table] = []

    /// `nil` when there is no such page.
    public init?(_ name: String) {
        guard let bytes = RepositoryFiles.bytes("Formats/" + name) else { return nil }
        self.name = name
        lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        var heading = ""
        var rows: [[String]] = []
        for line in lines + [""] {
            if line.hasPrefix("|") {
                rows.append(Self.cells(line))
                continue
            }
            if rows.count >= 2 { tables.append(Table(heading: heading, columns: rows[0], rows: Array(rows[2...]))) }
            rows = []
            if line.hasPrefix("#") { heading = String(line.drop { $0 == "#" || $0 == " " }) }
        }
    }

    public static let all = [
        "STORE.md", "SNAPSHOT.md", "LOG.md", "LIBRARY.md", "LZ4-BLOCK.md", "SEARCH.md", "CACHE.md", "LAUNCHES.md",
        "BACKUP.md",
    ]

    /// The `index`-th table under a heading.
    public func table(_ heading: String, _ index: Int = 0) -> Table? {
        tables.filter { $0.heading == heading }.dropFirst(index).first
    }

    /// `\|` is a bar within a cell.
    private static func cells(_ line: String) -> [String] {
        var cells = [""]
        var isEscaped = false
        for character in line.dropFirst() {
            if character == "|", !isEscaped { cells.append("") } else { cells[cells.count - 1].append(character) }
            isEscaped = character == "\\"
        }
        return cells.dropLast().map { cell in
            String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }
}

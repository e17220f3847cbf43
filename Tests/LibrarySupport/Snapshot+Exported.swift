import RecordStore
import Testing

extension Snapshot {
    /// Every record as a line of JSON, by kind and identifier.
    package func exported() throws -> [String: String] {
        var lines: [String: String] = [:]
        for line in try exportedLines() {
            let words = line.split(separator: "\"")
            let (kind, id) = (try #require(words.dropFirst(3).first), try #require(words.dropFirst(7).first))
            // Of a record of the app its kind comes before its identifier.
            let own = kind == "record" ? " \(words[11])" : ""
            lines["\(kind) \(id)\(own)"] = line
        }
        return lines
    }

    /// All of an export.
    package func exportedLines() throws -> [String] {
        var lines: [String] = []
        try export { lines.append($0) }
        return lines
    }
}

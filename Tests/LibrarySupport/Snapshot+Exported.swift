import RecordStore
import Testing

extension Snapshot {
    /// Every record as a line of JSON, by kind and identifier.
    package func exported() throws -> [String: String] {
        var lines: [String: String] = [:]
        try export { line in
            let kind = try #require(line.split(separator: "\"").dropFirst(3).first)
            let id = try #require(line.split(separator: "\"").dropFirst(7).first)
            lines["\(kind) \(id)"] = line
        }
        return lines
    }
}

@testable import BookDB
@testable import RecordStore

/// The lines of an export with an input's changes in them.
struct LineForgery {
    private(set) var lines: [String]

    init(_ lines: [String]) { self.lines = lines }

    mutating func change(_ input: inout ByteReader, atMost limit: Int = 30) {
        for _ in 0..<limit where !input.isAtEnd && !lines.isEmpty {
            let (line, other) = (input.choice(lines.count), input.choice(lines.count))
            switch input.choice(8) {
            case 0: lines.remove(at: line)
            case 1: lines.append(lines[line])
            case 2: lines.swapAt(line, other)
            case 3: changeBytes(of: line, &input)
            case 4, 5: change(value: Self.values[input.choice(Self.values.count)], ofField: input.choice(16), in: line)
            case 6:
                let field = input.choice(16)
                if let value = value(ofField: field, in: other) { change(value: value, ofField: field, in: line) }
            default:
                // A second line of the same record.
                lines.append(lines[line])
                change(
                    value: Self.values[input.choice(Self.values.count)], ofField: input.choice(16), in: lines.count - 1)
            }
        }
    }

    /// What a field may be instead.
    private static let values = [
        "null", "true", "0", "-1", "0.5", "1e400", "18446744073709551616", "-9223372036854775808", "\"\"", "\" \"",
        "\"2024-02-30\"", "\"read\"", "\"000007-1\"", "\"000009-ffffffff\"", "\"0\"", "[]", "[null]", "[[],[]]",
        "[\"000007-1\",\"000007-1\"]", "{}", "{\"type\":\"work\"}", "\"\\ud800\"", "\"\\u0000\"", "\"e\u{301}\"",
        "\"" + String(repeating: "long ", count: 300) + "\"", String(repeating: "[", count: 200),
    ]

    private mutating func changeBytes(of line: Int, _ input: inout ByteReader) {
        var bytes = Array(lines[line].utf8)
        let start = bytes.isEmpty ? 0 : input.choice(bytes.count)
        let end = min(bytes.count, start + input.choice(8))
        bytes.replaceSubrange(start..<end, with: input.bytes(input.choice(12)))
        lines[line] = String(decoding: bytes, as: UTF8.self)
    }

    /// Where the value of a field lies, counted over the line and turned around at its end; roughly, as texts may hold what looks like one.
    private func place(ofField number: Int, in line: String) -> Range<String.Index>? {
        let colons = line.indices.filter { line[$0] == ":" }
        guard !colons.isEmpty else { return nil }
        let start = line.index(after: colons[number % colons.count])
        var depth = 0
        var end = start
        while end < line.endIndex {
            let character = line[end]
            if depth == 0, character == "," || character == "}" { break }
            if "[{".contains(character) { depth += 1 }
            if "]}".contains(character) { depth -= 1 }
            end = line.index(after: end)
        }
        return start..<end
    }

    private func value(ofField number: Int, in line: Int) -> String? {
        place(ofField: number, in: lines[line]).map { String(lines[line][$0]) }
    }

    private mutating func change(value: String, ofField number: Int, in line: Int) {
        guard let place = place(ofField: number, in: lines[line]) else { return }
        lines[line].replaceSubrange(place, with: value)
    }
}

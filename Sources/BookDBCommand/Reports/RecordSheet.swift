import BookDB

/// One of an app's own records for people, and a page of them.
enum RecordSheet {
    static func lines(_ record: StoredRecord, style: Style) -> [String] {
        let names = record.fields.map { DisplayWidth.printable($0.name) }
        let width = names.reduce(0) { max($0, DisplayWidth.of($1)) }
        var lines = [style.bold("\(DisplayWidth.printable(record.kind)) \(record.id)")]
        for (field, name) in zip(record.fields, names) {
            let label = "  " + name + String(repeating: " ", count: width - DisplayWidth.of(name) + 2)
            lines += Paragraph.lines(DisplayWidth.printable(field.text), behind: label)
        }
        return lines
    }

    /// A line for each, with the fields that any of them has, as far as there is room: texts are cut, nothing else is, and the last fields are
    /// left out.
    ///
    /// - Parameter dress: dresses texts, as far as they are shown.
    /// - Returns: also the fields that were left out.
    static func table(
        _ records: [StoredRecord], of kind: StoredKind, style: Style, dress: ((String) -> String)? = nil
    ) -> (lines: [String], hidden: [String]) {
        let texts = Set(kind.searchedFields)
        var shown = kind.fields.filter { field in records.contains { $0.fields.contains { $0.name == field.name } } }
        var hidden: [String] = []
        let room = TextTable.maximumWidth - (records.map { DisplayWidth.of($0.id) }.max() ?? 0)
        while shown.count > 1, shown.reduce(0, { $0 + leastWidth($1, texts, records) + 2 }) > room {
            hidden.insert(shown.removeLast().name, at: 0)
        }
        let columns = shown.map { field in
            let isText = texts.contains(field.name)
            return TextTable.Column(
                title: field.name.uppercased(), alignment: field.isNumber ? .right : .left,
                leastWidth: isText || isLong(field) ? leastTextWidth : nil, dress: isText ? dress : nil)
        }
        var table = TextTable(columns + [.init(title: "ID")])
        for record in records { table.add(shown.map { text(of: $0, in: record) } + [record.id]) }
        return (table.lines(heading: style.bold), hidden)
    }

    /// The end of a line about records whose last fields had no room.
    static func words(hidden: [String]) -> String {
        hidden.isEmpty
            ? "" : "; not shown: \(hidden.map(DisplayWidth.printable).joined(separator: ", ")), which --json has"
    }

    private static let leastTextWidth = 10

    private static func text(of field: StoredKind.Field, in record: StoredRecord) -> String {
        record.fields.first { $0.name == field.name }?.text ?? ""
    }

    /// Lists and values with fields of their own may be of any length, as texts may.
    private static func isLong(_ field: StoredKind.Field) -> Bool {
        field.type.hasPrefix("a list") || field.type.hasPrefix("a dictionary") || field.type.hasPrefix("a value")
            || field.type == "bytes"
    }

    private static func leastWidth(
        _ field: StoredKind.Field, _ texts: Set<String>, _ records: [StoredRecord]
    ) -> Int {
        let widest = records.reduce(DisplayWidth.of(field.name)) { max($0, DisplayWidth.of(text(of: field, in: $1))) }
        return texts.contains(field.name) || isLong(field) ? min(widest, leastTextWidth) : widest
    }
}

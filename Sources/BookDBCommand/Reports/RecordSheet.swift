import BookDB

/// One of an app's own records for people, and a page of them.
enum RecordSheet {
    static func lines(_ record: StoredRecord, style: Style) -> [String] {
        let width = record.fields.reduce(0) { max($0, DisplayWidth.of($1.name)) }
        var lines = [style.bold("\(record.kind) \(record.id)")]
        for field in record.fields {
            let label = "  " + field.name + String(repeating: " ", count: width - DisplayWidth.of(field.name) + 2)
            lines += Paragraph.lines(DisplayWidth.printable(field.text), behind: label)
        }
        return lines
    }

    /// A line for each, with the fields that any of them has, as far as there is room.
    static func table(_ records: [StoredRecord], of kind: StoredKind, style: Style) -> [String] {
        let known = kind.fields.map(\.name)
        let names = known.filter { name in records.contains { $0.fields.contains { $0.name == name } } }
        let columns = names.map { TextTable.Column(title: $0.uppercased(), leastWidth: 6) }
        var table = TextTable(columns + [.init(title: "ID")])
        for record in records {
            table.add(names.map { name in record.fields.first { $0.name == name }?.text ?? "" } + [record.id])
        }
        return table.lines(heading: style.bold)
    }
}

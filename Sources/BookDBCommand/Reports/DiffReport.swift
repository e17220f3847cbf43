import BookDB

/// The differences of two libraries, for people and for programs.
struct DiffReport {
    private let first: String
    private let second: String
    private let showsRecords: Bool

    let comparison: LibraryComparison
    private let declarations: [DeclarationDifference]
    /// The first few that differ.
    private let records: [Shown]
    private let recordCount: Int

    /// A record that is shown. It is read while the libraries are compared; what is not shown is not read at all.
    private struct Shown {
        let difference: RecordDifference
        let label: String?
        let fields: [RecordDifference.Field]
    }

    /// Compares two libraries, each with the path it is called by.
    ///
    /// - Parameters:
    ///   - limit: of the records that are shown; `nil` where none are asked for.
    ///   - listsUnrelated: as `Snapshot.differences` has it.
    /// - Throws: `LibraryError`.
    init(
        _ first: (path: String, snapshot: Snapshot), _ second: (path: String, snapshot: Snapshot), limit: Int?,
        listsUnrelated: Bool
    ) throws {
        var declarations: [DeclarationDifference] = []
        var records: [Shown] = []
        var recordCount = 0
        comparison = try first.snapshot.differences(from: second.snapshot, listsUnrelated: listsUnrelated) {
            switch $0 {
            case .declaration(let declaration): declarations.append(declaration)
            case .record(let record):
                recordCount += 1
                guard records.count < limit ?? 0 else { return }
                records.append(Shown(difference: record, label: try record.label, fields: try record.fields))
            case .unrelated: break
            }
        }
        (self.first, self.second, showsRecords) = (first.path, second.path, limit != nil)
        (self.declarations, self.records, self.recordCount) = (declarations, records, recordCount)
    }

    /// Kinds without hash sums, which were read whole.
    private var readKinds: [String] { comparison.kinds.filter { !$0.isByHashSums }.map(\.name) }
}

// MARK: - For people

extension DiffReport {
    /// Fields of a record that only one library has, and columns of a value.
    private static let fieldCount = 3
    private static let valueWidth = 60

    func lines(style: Style) -> [String] {
        guard !comparison.isSame else { return ["\(first) and \(second) have the same records. \(way)"] }
        var lines = counts(style)
        for kind in comparison.kinds where kind.isUnrelated { lines += unrelated(kind) }
        if !declarations.isEmpty {
            lines += ["", style.bold("DECLARATIONS")] + declarations.flatMap { self.lines($0) }
        }
        if !records.isEmpty {
            lines += ["", "− only in \(first)   + only in \(second)   ~ changed"]
            lines += records.flatMap { self.lines($0, style) }
        }
        if showsRecords, recordCount > records.count {
            lines.append("and \(NumberText.count(recordCount - records.count)) more; --limit shows more, --stat none")
        }
        return lines + ["", "\(first) and \(second) differ. \(way)"]
    }

    private var way: String {
        let pages = "\(NumberText.count(comparison.pagesRead, "page")) read"
        if readKinds.isEmpty { return "Compared by hash sums: \(pages)." }
        let kinds = readKinds.joined(separator: ", ")
        return "Compared record by record, for want of hash sums: \(kinds); \(pages)."
    }

    private func counts(_ style: Style) -> [String] {
        var table = TextTable([
            .init(title: "KIND"), .init(title: "only in the first", alignment: .right),
            .init(title: "only in the second", alignment: .right), .init(title: "changed", alignment: .right),
            .init(title: "records", alignment: .right),
        ])
        for kind in comparison.kinds {
            let numbers = [kind.onlyInFirstCount, kind.onlyInSecondCount, kind.changedCount]
            let total =
                kind.firstCount == kind.secondCount
                ? NumberText.count(kind.firstCount)
                : "\(NumberText.count(kind.firstCount)) → \(NumberText.count(kind.secondCount))"
            table.add(
                [kind.name] + numbers.map { kind.isUnrelated ? "all" : $0 == 0 ? "–" : NumberText.count($0) } + [total])
        }
        return table.lines(heading: style.bold)
    }

    private func unrelated(_ kind: LibraryComparison.Kind) -> [String] {
        [""]
            + Paragraph.lines(
                "The records of \(kind.name) share next to no identifiers: the libraries have no history in common, as when the same file "
                    + "was imported into both. Nothing says which records belong together. --unrelated lists them all.",
                indent: 0)
    }

    private func lines(_ declaration: DeclarationDifference) -> [String] {
        let place = declaration.kind.map { declaration.part == .kind ? "" : "\($0), " } ?? ""
        return Paragraph.lines(
            "\(declaration.first ?? "–") → \(declaration.second ?? "–")",
            behind: "  \(place)\(declaration.part.rawValue) \(declaration.name): ")
    }

    private func lines(_ shown: Shown, _ style: Style) -> [String] {
        let difference = shown.difference
        let sign =
            switch difference.change {
            case .onlyInFirst: "−"
            case .onlyInSecond: "+"
            case .changed: "~"
            }
        let label = shown.label.map { "  " + DisplayWidth.fitted($0, to: Self.valueWidth) } ?? ""
        var lines = ["\(sign) " + style.bold("\(DisplayWidth.printable(difference.kind)) \(difference.id)") + label]
        guard difference.change == .changed else {
            guard shown.label == nil else { return lines }
            return lines
                + shown.fields.prefix(Self.fieldCount).map {
                    "    \(DisplayWidth.printable($0.name)): \(text($0.first ?? $0.second))"
                }
        }
        lines += shown.fields.map { "    \(DisplayWidth.printable($0.name)): \(text($0.first)) → \(text($0.second))" }
        if shown.fields.isEmpty { lines.append("    stored with other bytes that say the same") }
        return lines
    }

    private func text(_ value: RecordDifference.Value?) -> String {
        value.map { DisplayWidth.fitted($0.text, to: Self.valueWidth) } ?? "–"
    }
}

// MARK: - For programs

extension DiffReport {
    var document: String {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.diff/1")
            json.member("first", first)
            json.member("second", second)
            json.member("same", comparison.isSame)
            json.array("kinds") { json in comparison.kinds.forEach { kind in json.object { write(kind, to: &$0) } } }
            json.array("declarations") { json in
                declarations.forEach { declaration in json.object { write(declaration, to: &$0) } }
            }
            if showsRecords {
                json.array("records") { json in records.forEach { shown in json.object { write(shown, to: &$0) } } }
            }
            json.member("differingRecords", recordCount)
            json.member("pagesRead", comparison.pagesRead)
        }
        return json.text
    }

    private func write(_ kind: LibraryComparison.Kind, to json: inout JSONWriter) {
        json.member("name", kind.name)
        json.member("firstCount", kind.firstCount)
        json.member("secondCount", kind.secondCount)
        json.member("onlyInFirst", kind.onlyInFirstCount)
        json.member("onlyInSecond", kind.onlyInSecondCount)
        json.member("changed", kind.changedCount)
        json.member("unrelated", kind.isUnrelated)
        json.member("byHashSums", kind.isByHashSums)
    }

    private func write(_ declaration: DeclarationDifference, to json: inout JSONWriter) {
        json.optional("kind", declaration.kind)
        json.member("part", declaration.part.rawValue)
        json.member("name", declaration.name)
        json.optional("first", declaration.first)
        json.optional("second", declaration.second)
    }

    private func write(_ shown: Shown, to json: inout JSONWriter) {
        json.member("kind", shown.difference.kind)
        json.member("id", shown.difference.id)
        json.member("change", shown.difference.change.rawValue)
        json.optional("label", shown.label)
        json.array("fields") { json in
            for field in shown.fields {
                json.object { json in
                    json.member("name", field.name)
                    for (name, value) in [("first", field.first), ("second", field.second)] {
                        if let value { json.member(name, json: value.json) } else { json.null(name) }
                    }
                }
            }
        }
    }
}

import BookDB

/// Turns records into books, by the plan of their file.
struct RowReader: Sendable {
    /// What became of a record.
    enum Outcome: Sendable {
        case book(ImportedBook, warnings: [String])
        case rejected(reason: String)
    }

    let plan: RowPlan

    /// Reads one record. A field that cannot be understood leaves a warning; a row that cannot be trusted is rejected.
    func read(_ record: CSVRecord) -> Outcome {
        if let problem = record.problem { return .rejected(reason: problem.description) }
        var warnings: [String] = []
        if let reason = shapeProblem(of: record, warnings: &warnings) { return .rejected(reason: reason) }
        if !record.isValidUTF8 {
            warnings.append("not UTF-8: letters that could not be read are “\u{FFFD}” now")
        }
        var draft = BookDraft(plan: plan)
        for (index, field) in plan.columns where !record.isEmpty(at: index) {
            draft.take(record.text(at: index), as: field)
        }
        guard let book = draft.finished() else { return .rejected(reason: "no title") }
        return .book(book, warnings: warnings + draft.warnings)
    }

    /// Why the number of fields shows that they are not where the header says; nil when they can be trusted.
    private func shapeProblem(of record: CSVRecord, warnings: inout [String]) -> String? {
        let expected = plan.headers.count
        if record.count > expected {
            guard (expected..<record.count).allSatisfy({ record.isEmpty(at: $0) }) else {
                return "\(record.count) fields where the header has \(expected): is there a separator too many?"
            }
        } else if record.count < plan.namedCount {
            if plan.dialect.habits.contains(.wholeRows) || record.isRescanned {
                return "\(record.count) fields where the header has \(expected): one is missing, and those behind it "
                    + "stand in the wrong columns"
            }
            warnings.append("\(record.count) fields where the header has \(expected): the last ones are taken as empty")
        }
        return nil
    }
}

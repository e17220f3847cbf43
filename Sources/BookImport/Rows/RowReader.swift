import BookDB

/// Turns records into books, by the plan of their file.
struct RowReader: Sendable {
    /// What became of a record.
    enum Outcome: Sendable {
        /// - Parameter passedOver: the columns of which another one's value was taken, and not the same.
        case book(ImportedBook, warnings: [String], passedOver: Set<Int>)
        case rejected(reason: String)
    }

    let plan: RowPlan

    /// Reads one record. A field that cannot be understood leaves a warning; a row that cannot be trusted is rejected.
    func read(_ record: CSVRecord) -> Outcome {
        if let problem = record.problem { return .rejected(reason: problem.description) }
        var warnings: [String] = []
        if let reason = shapeProblem(of: record, warnings: &warnings) { return .rejected(reason: reason) }
        let mayHaveLostLetters = record.mayHaveLostLetters
        var draft = BookDraft(plan: plan)
        var passedOver: Set<Int> = []
        for (index, field) in plan.columns where !record.isEmpty(at: index) {
            let text = record.text(at: index)
            if mayHaveLostLetters, text.unicodeScalars.contains("\u{FFFD}") {
                return .rejected(
                    reason:
                        "“\(plan.headers[index])” has letters that cannot be read as \(plan.encoding.rawValue), or that were "
                        + "lost before")
            }
            if let shared = plan.sharedColumns[field], draft.has(field) {
                let value = text.trimmingBlanks()
                let isSaid = shared.contains { $0 < index && record.text(at: $0).trimmingBlanks() == value }
                if !isSaid { passedOver.insert(index) }
                continue
            }
            draft.take(text, as: field, at: index)
        }
        guard let book = draft.finished() else { return .rejected(reason: "no title") }
        return .book(book, warnings: warnings + draft.warnings, passedOver: passedOver)
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
                let missing = expected - record.count
                return "\(record.count) fields where the header has \(expected): "
                    + "\(missing == 1 ? "one is" : "\(missing) are") missing, and the others may stand in the wrong columns"
            }
            warnings.append("\(record.count) fields where the header has \(expected): the last ones are taken as empty")
        }
        return nil
    }
}

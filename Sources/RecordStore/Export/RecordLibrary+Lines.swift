import StorageEngine

extension RecordLibrary {
    /// Takes in the lines of an export: what they hold is there then, under the same identifiers, and an export of a library that was empty
    /// gives the same lines.
    ///
    /// ```swift
    /// let report = try await library.importLines(lines)
    /// print(report.inserted, report.known, report.refused)
    /// ```
    ///
    /// A line that the library has already, as it is, changes nothing, so an import that was broken off goes on where it stopped. A line that
    /// the library cannot take is refused by itself: one that is no JSON, has a field that its kind has not, an identifier that another record
    /// has, or names what is in neither library nor lines. What is named may come behind. Orders, indexes and unique keys are the app's types to
    /// declare; those that the library keeps already are kept up.
    ///
    /// - Parameters:
    ///   - lines: each a JSON object, as `Snapshot.export` gives them; empty ones are skipped.
    ///   - report: is told after each commit how far it is.
    /// - Throws: `LibraryError` when the library could not be read or written; `.cancelled` when the task is. What was committed stays.
    @discardableResult
    public func importLines(
        _ lines: some Sequence<String>, _ report: (LineImport) -> Void = { _ in }
    ) async throws(LibraryError) -> LineImport {
        var result = LineImport()
        var waiting: [(number: Int, line: JSONValue)] = []
        var batch: [(number: Int, line: JSONValue)] = []
        for line in lines {
            result.lineCount += 1
            guard line.utf8.contains(where: { $0 > 0x20 }) else { continue }
            do throws(JSONProblem) {
                batch.append((result.lineCount, try JSONReader.value(of: line)))
            } catch {
                result.refuse(result.lineCount, "This is no JSON: \(error.description).")
            }
            guard batch.count == Self.importedLineCount else { continue }
            waiting += try await take(batch, &result)
            batch = []
            report(result)
        }
        waiting += try await take(batch, &result)
        // What they name may have come behind them.
        while !waiting.isEmpty {
            let count = waiting.count
            var rest: [(number: Int, line: JSONValue)] = []
            for start in stride(from: 0, to: count, by: Self.importedLineCount) {
                rest += try await take(Array(waiting[start..<min(start + Self.importedLineCount, count)]), &result)
            }
            waiting = rest
            if rest.count == count { break }
        }
        if !waiting.isEmpty { try await takeTogether(waiting, &result) }
        result.sortRefusals()
        report(result)
        return result
    }

    private static let importedLineCount = 1000

    /// - Returns: those that name what is not there yet.
    private func take(
        _ batch: [(number: Int, line: JSONValue)], _ result: inout LineImport
    ) async throws(LibraryError) -> [(number: Int, line: JSONValue)] {
        guard !batch.isEmpty else { return [] }
        let outcomes = try await transact { (library) throws(LibraryError) in
            var outcomes: [Result<TakenLine, LibraryError>] = []
            for (_, line) in batch { outcomes.append(try library.outcome(of: line)) }
            return outcomes
        }
        var waiting: [(number: Int, line: JSONValue)] = []
        for (entry, outcome) in zip(batch, outcomes) {
            if case .success(.waits) = outcome { waiting.append(entry) } else { result.note(entry.number, outcome) }
        }
        return waiting
    }

    /// Lines that name each other, as one commit.
    private func takeTogether(
        _ lines: [(number: Int, line: JSONValue)], _ result: inout LineImport
    ) async throws(LibraryError) {
        let outcomes = try await transact { (library) throws(LibraryError) in
            var together = lines.indices.map { (index: $0, record: lines[$0].line.linkedRecord) }
            var outcomes: [Int: Result<TakenLine, LibraryError>] = [:]
            // Who names what none of them is goes, and then who names that one.
            while true {
                let named = Set(together.compactMap(\.record))
                var staying: [(index: Int, record: LinkedRecord?)] = []
                for entry in together {
                    if let missing = try library.missing(from: lines[entry.index].line, named.contains) {
                        outcomes[entry.index] = .success(.waits(missing))
                    } else {
                        staying.append(entry)
                    }
                }
                if staying.count == together.count { break }
                together = staying
            }
            let named = Set(together.compactMap(\.record))
            for (index, _) in together { outcomes[index] = try library.outcome(of: lines[index].line, named.contains) }
            return lines.indices.map { outcomes[$0] ?? .success(.known) }
        }
        for (line, outcome) in zip(lines, outcomes) { result.note(line.number, outcome) }
    }
}

extension LibraryTransaction {
    /// - Throws: what is not the line's fault.
    fileprivate mutating func outcome(
        of line: JSONValue, _ isLinkedTo: (LinkedRecord) -> Bool = { _ in false }
    ) throws(LibraryError) -> Result<TakenLine, LibraryError> {
        do throws(LibraryError) {
            return .success(try take(line, isLinkedTo: isLinkedTo))
        } catch {
            guard error.isOfData else { throw error }
            return .failure(error)
        }
    }
}

extension JSONValue {
    /// The record that the line is, as others name it.
    fileprivate var linkedRecord: LinkedRecord? {
        guard self["type"]?.text == "record", let kind = self["kind"]?.text,
            let id = self["id"]?.text.flatMap({ ID<AppRecord>($0) })
        else { return nil }
        return LinkedRecord(target: .records(kind), id: id.rawValue)
    }
}

/// What an import of lines has done.
public struct LineImport: Equatable, Sendable {
    /// Read so far, empty ones too.
    public internal(set) var lineCount = 0

    /// What was new in the library: records, and kinds.
    public private(set) var inserted = 0

    /// What the library had, as it is.
    public private(set) var known = 0

    /// The first line that was new; `nil` where none was. An import that goes on where another was broken off begins there.
    public private(set) var firstNewLine: Int?

    /// Why lines were refused, the first thousand of them.
    public private(set) var refusals: [Refusal] = []

    public private(set) var refused = 0

    public struct Refusal: Equatable, Sendable {
        /// From 1 on.
        public let line: Int
        public let reason: String
    }

    private static let maximumRefusalCount = 1000

    mutating func refuse(_ line: Int, _ reason: String) {
        refused += 1
        if refusals.count < Self.maximumRefusalCount { refusals.append(Refusal(line: line, reason: reason)) }
    }

    /// By line: what waited for what it names is refused last.
    mutating func sortRefusals() { refusals.sort { $0.line < $1.line } }

    mutating func note(_ line: Int, _ outcome: Result<TakenLine, LibraryError>) {
        switch outcome {
        case .success(.inserted):
            inserted += 1
            firstNewLine = min(firstNewLine ?? line, line)
        case .success(.known): known += 1
        case .success(.waits(let words)): refuse(line, words)
        case .failure(let error): refuse(line, error.sentence)
        }
    }
}

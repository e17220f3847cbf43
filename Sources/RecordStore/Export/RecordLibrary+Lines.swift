import StorageEngine

extension RecordLibrary {
    /// Takes in the lines of an export: what they hold is there then, under the same identifiers, and an export of a library that was empty
    /// gives the same lines.
    ///
    /// ```swift
    /// var lines: [String] = []
    /// try store.snapshot.export { lines.append($0) }
    /// let report = try await store.importLines(lines)
    /// print(report.inserted, report.known, report.refused)
    /// ```
    ///
    /// A line that the library has already, as it is, changes nothing, so an import that was broken off goes on where it stopped. A line that
    /// the library cannot take is refused by itself: one that is no JSON, has a field that its kind has not, an identifier that another record
    /// has, or names what is in neither library nor lines. What is named may come behind: until it does, lines wait in memory. The rules of
    /// links that the library has stay.
    ///
    /// Orders that the library keeps are kept up, and its unique keys are held: those of a kind are made whole before its lines come in. Those that
    /// the app's code makes, beside `upgrades` or of computed properties, are so only where their type is named here or was used before; else they are
    /// set aside, and bind no line.
    ///
    /// - Parameters:
    ///   - lines: each a JSON object, as `Snapshot.export` gives them; empty ones are skipped.
    ///   - kind: types of the app, whose orders, indexes and unique keys are made first.
    ///   - report: is told after each commit how far it is.
    /// - Throws: `LibraryError` when the library could not be read or written; `.cancelled` when the task is. What was committed stays.
    @discardableResult
    public func importLines<each Kind: Record>(
        _ lines: some Sequence<String>, _ kind: repeat (each Kind).Type, report: (LineImport) -> Void = { _ in }
    ) async throws(LibraryError) -> LineImport {
        try await importLines(utf8: lines.lazy.map { Array($0.utf8) }, repeat each kind, report: report)
    }

    /// The same with lines as a file has them: one that is not UTF-8 is refused.
    @discardableResult
    public func importLines<each Kind: Record>(
        utf8 lines: some Sequence<[UInt8]>, _ kind: repeat (each Kind).Type, report: (LineImport) -> Void = { _ in }
    ) async throws(LibraryError) -> LineImport {
        for type in repeat each kind {
            try await transact { (library) throws(LibraryError) in try library.makeOrders(of: type) }
        }
        var result = LineImport()
        let queue = LineQueue()
        var kindNames: Set<String> = []
        for line in lines {
            result.lineCount += 1
            guard line.contains(where: { $0 > 0x20 }) else { continue }
            if let entry = Self.entry(of: line, &result) {
                if let name = entry.kindName, kindNames.insert(name).inserted {
                    try await finishUniqueKeys(ofKind: name)
                }
                queue.add(entry)
            }
            guard queue.readyCount >= Self.importedLineCount || queue.readyByteCount >= Self.importedByteCount else {
                continue
            }
            try await take(from: queue, &result)
            report(result)
        }
        while queue.readyCount > 0 { try await take(from: queue, &result) }
        try await takeTogether(queue.left, &result)
        result.sortRefusals()
        report(result)
        return result
    }

    /// - Returns: `nil` for a line that is no JSON, which is refused.
    private static func entry(of line: [UInt8], _ result: inout LineImport) -> LineQueue.Entry? {
        do throws(JSONProblem) {
            let value = try JSONReader.value(utf8: line)
            return LineQueue.Entry(number: result.lineCount, byteCount: line.count, line: value)
        } catch {
            result.refuse(result.lineCount, "This is no JSON: \(error.description).")
            return nil
        }
    }

    /// A commit takes so many lines, or so many bytes of them and what is left of the last line.
    private static let importedLineCount = 1000
    private static let importedByteCount = 16 << 20

    /// Some lines, and those that wait for them, as one commit.
    private func take(from queue: LineQueue, _ result: inout LineImport) async throws(LibraryError) {
        let outcomes = try await transact(runsOnce: true) { (library) throws(LibraryError) in
            var outcomes: [(number: Int, outcome: Result<TakenLine, LibraryError>)] = []
            var byteCount = 0
            for _ in 0..<Self.importedLineCount {
                guard byteCount < Self.importedByteCount, let entry = queue.next() else { break }
                byteCount += entry.byteCount
                let outcome = try library.outcome(of: entry.line)
                if case .success(.waits(let id, _)) = outcome {
                    queue.add(entry, waitingFor: id)
                    continue
                }
                outcomes.append((entry.number, outcome))
                if case .success = outcome, let id = entry.identifier { queue.release(id) }
            }
            return outcomes
        }
        for (number, outcome) in outcomes { result.note(number, outcome) }
    }

    /// Lines that name each other, as one commit: all that name nothing that is nowhere.
    private func takeTogether(_ entries: [LineQueue.Entry], _ result: inout LineImport) async throws(LibraryError) {
        var left = entries
        while !left.isEmpty {
            let group = left
            do {
                let outcomes = try await write { library in
                    let whole = try library.withoutMissing(group)
                    let named = Set(whole.compactMap { group[$0].linkedRecord })
                    var outcomes: [Int: Result<TakenLine, LibraryError>] = [:]
                    for index in whole {
                        outcomes[index] = try library.outcome(of: group[index].line, named.contains)
                    }
                    // One that is refused is not there for those that name it: none of the group stays, and the others come again.
                    let refused = outcomes.filter { if case .success(.inserted) = $0.value { false } else { true } }
                    guard refused.isEmpty else { throw RefusedLines(outcomes: refused) }
                    return (0..<group.count).map { outcomes[$0] }
                }
                for (entry, outcome) in zip(group, outcomes) { if let outcome { result.note(entry.number, outcome) } }
                left = zip(group, outcomes).filter { $0.1 == nil }.map(\.0)
                break
            } catch let refused as RefusedLines {
                for (index, outcome) in refused.outcomes { result.note(group[index].number, outcome) }
                left = group.indices.filter { refused.outcomes[$0] == nil }.map { group[$0] }
            } catch {
                throw LibraryError.translated(error) as? LibraryError ?? .inputOutput("\(error)")
            }
        }
        guard !left.isEmpty else { return }
        // What these name is nowhere; each says so of the first.
        let (rest, none) = (left, [Result<TakenLine, LibraryError>]())
        let outcomes = try await transact { (library) throws(LibraryError) in
            var outcomes = none
            for entry in rest { outcomes.append(try library.outcome(of: entry.line)) }
            return outcomes
        }
        for (entry, outcome) in zip(rest, outcomes) { result.note(entry.number, outcome) }
    }
}

/// Lines that keep those which name them from coming in, and why.
private struct RefusedLines: Error {
    let outcomes: [Int: Result<TakenLine, LibraryError>]
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

    /// The indices of the lines that name nothing which is neither here nor among them.
    fileprivate mutating func withoutMissing(_ group: [LineQueue.Entry]) throws(LibraryError) -> [Int] {
        var missingCounts = [Int](repeating: 0, count: group.count)
        var namers: [LinkedRecord: [Int]] = [:]
        for (index, entry) in group.enumerated() {
            for named in Set(try named(by: entry.line)) where try !trees.has(named.target, named.id) {
                namers[named, default: []].append(index)
            }
        }
        let there = Set(group.compactMap(\.linkedRecord))
        var gone: [Int] = []
        for (named, indices) in namers where !there.contains(named) {
            for index in indices {
                missingCounts[index] += 1
                if missingCounts[index] == 1 { gone.append(index) }
            }
        }
        // Who names one that goes, goes with it.
        while let index = gone.popLast() {
            guard let record = group[index].linkedRecord else { continue }
            for namer in namers[record] ?? [] {
                missingCounts[namer] += 1
                if missingCounts[namer] == 1 { gone.append(namer) }
            }
        }
        return group.indices.filter { missingCounts[$0] == 0 }
    }
}

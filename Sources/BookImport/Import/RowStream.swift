/// The rows of a source in batches: reads bytes, records and books, and knows nothing of a library.
///
/// An actor, so that the next batch is read while the one before is written.
actor RowStream {
    /// Some rows, in the order of the file.
    struct Batch: Sendable {
        struct Row: Sendable {
            let line: Int
            let raw: String
            let book: ImportedBook
        }

        var rows: [Row] = []
        var rejects: [ImportResult.Reject] = []
        var warnings: [ImportResult.Warning] = []
        var recordCount = 0

        /// How many bytes of the source were read by the end of the batch.
        var bytesRead = 0

        /// How many values of each column were left out so far.
        var leftOutCounts: [Int] = []

        /// Of the columns that share a field: those that something was taken from so far.
        var takenColumns: Set<Int> = []
    }

    nonisolated let plan: RowPlan
    /// How many rows there are altogether; nil for a pipe.
    nonisolated let totalRowCount: Int?

    private let name: String
    private let rowReader: RowReader
    private let input: ImportInput
    private var csv = CSVReader()
    private var transcoder: Transcoder
    private var record = CSVRecord()
    private var hasHeader = false
    private var bytesRead = 0
    private var isAtEnd = false
    private let ignoredColumns: [Int]
    private let sharedColumns: [Int]
    private var leftOutCounts: [Int]
    private var takenColumns: Set<Int> = []

    /// Of a pipe, which gives its bytes once, so much is looked at before the first row is imported.
    private static let surveyedByteCount = 256 << 10

    /// Opens a source, reads its header, and looks through its rows for what one row alone leaves open.
    ///
    /// - Throws: `ImportError` when the source cannot be read, is no table of books, or can be read in two ways;
    ///   `CancellationError`.
    static func open(_ source: ImportSource, options: ImportOptions) async throws -> RowStream {
        var input = try source.open()
        let isWhole = input.canBeReadAgain
        var pieces: [[UInt8]] = []
        var guess = EncodingGuess()
        var byteCount = 0
        // Of a file whose encoding is said the beginning alone is looked at, which may say otherwise.
        let limit = !isWhole ? surveyedByteCount : options.encoding == nil ? .max : 3
        var isAtEnd = false
        while byteCount < limit {
            guard let piece = try await input.next() else {
                isAtEnd = true
                break
            }
            try Task.checkCancellation()
            guess.take(piece)
            byteCount += piece.count
            if !isWhole { pieces.append(piece) }
        }
        guess.finish(isWhole: isAtEnd)
        guard let encoding = guess.isMarkedAsUTF8 ? .utf8 : options.encoding ?? guess.encoding else {
            throw ImportError.unclearEncoding(name: source.name, lines: guess.lines.map(Self.unclear))
        }
        if isWhole { input = try source.open() } else { await input.giveBack(pieces) }

        var survey = FileSurvey()
        let sample = isWhole ? try source.open() : ImportInput(bytes: Array(pieces.joined()))
        var plan = try await Self.plan(sample, source.name, options, encoding, &survey)
        try survey.apply(to: &plan, dates: options.dates)
        return RowStream(
            plan: plan, name: source.name, input: input, rowCount: isWhole ? survey.recordCount : nil)
    }

    /// Reads the header of a table, and its rows into a survey.
    private static func plan(
        _ input: ImportInput, _ name: String, _ options: ImportOptions, _ encoding: TextEncoding,
        _ survey: inout FileSurvey
    ) async throws -> RowPlan {
        var csv = CSVReader()
        var transcoder = Transcoder(encoding)
        var record = CSVRecord()
        var plan: RowPlan?
        while true {
            let piece = try await input.next()
            try Task.checkCancellation()
            csv.append(piece.map { transcoder.utf8($0) } ?? transcoder.finish())
            if piece == nil { csv.finish() }
            while try read(&csv, into: &record, name: name) {
                if let plan {
                    survey.take(record, plan)
                } else {
                    plan = try RowPlan(header: record, name: name, options: options, encoding: encoding)
                }
            }
            if piece == nil { break }
        }
        guard let plan else { throw ImportError.unknownFormat(name: name, headers: []) }
        return plan
    }

    private static func unclear(_ line: EncodingGuess.Line) -> ImportError.UnclearLine {
        var transcoder = Transcoder(.windows1252)
        return ImportError.UnclearLine(
            number: line.number, asUTF8: String(decoding: line.bytes, as: UTF8.self),
            asWindows1252: String(decoding: transcoder.utf8(line.bytes), as: UTF8.self))
    }

    private init(plan: RowPlan, name: String, input: ImportInput, rowCount: Int?) {
        self.plan = plan
        self.name = name
        self.input = input
        totalRowCount = rowCount
        transcoder = Transcoder(plan.encoding)
        rowReader = RowReader(plan: plan)
        ignoredColumns = plan.ignoredColumns
        sharedColumns = plan.sharedColumns.values.flatMap { $0 }
        leftOutCounts = plan.headers.map { _ in 0 }
    }

    /// The next rows, at most so many records, or somewhat more than so many bytes of them; nil at the end. Not to be called again before it
    /// returned.
    func nextBatch(upTo limit: Int, byteCount byteLimit: Int = 4 << 20) async throws -> Batch? {
        var batch = Batch()
        let start = bytesRead
        while batch.recordCount < limit, batch.recordCount == 0 || bytesRead - start < byteLimit {
            if try Self.read(&csv, into: &record, name: name) {
                if hasHeader { take(into: &batch) } else { hasHeader = true }
            } else if isAtEnd {
                break
            } else if let bytes = try await input.next() {
                bytesRead += bytes.count
                csv.append(transcoder.utf8(bytes))
            } else {
                isAtEnd = true
                csv.append(transcoder.finish())
                csv.finish()
            }
        }
        batch.bytesRead = bytesRead
        batch.leftOutCounts = leftOutCounts
        batch.takenColumns = takenColumns
        return batch.recordCount == 0 ? nil : batch
    }

    private func take(into batch: inout Batch) {
        batch.recordCount += 1
        switch rowReader.read(record) {
        case .book(let book, let warnings, let passedOver):
            for index in ignoredColumns where !record.isEmpty(at: index) { leftOutCounts[index] += 1 }
            for index in passedOver { leftOutCounts[index] += 1 }
            for index in sharedColumns where !record.isEmpty(at: index) && !passedOver.contains(index) {
                takenColumns.insert(index)
            }
            batch.rows.append(Batch.Row(line: record.line, raw: record.raw, book: book))
            batch.warnings += warnings.map { ImportResult.Warning(line: record.line, message: $0) }
        case .rejected(let reason):
            batch.rejects.append(ImportResult.Reject(line: record.line, reason: reason, raw: record.raw))
        }
    }

    private static func read(
        _ csv: inout CSVReader, into record: inout CSVRecord, name: String
    ) throws(ImportError) -> Bool {
        do {
            return try csv.next(into: &record)
        } catch {
            throw .notCSV(name: name, error)
        }
    }
}

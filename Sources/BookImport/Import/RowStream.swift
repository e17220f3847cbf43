/// The rows of a source in batches: reads bytes, records and books, and knows nothing of a library.
struct RowStream: Sendable {
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
    }

    let plan: RowPlan
    let totalByteCount: Int?

    private let name: String
    private let rowReader: RowReader
    private var input: ImportInput
    private var csv: CSVReader
    private var record: CSVRecord
    private var bytesRead: Int
    private var isAtEnd: Bool

    /// Opens a source and reads its header.
    ///
    /// - Throws: `ImportError` when the source cannot be read or is no table of books; `CancellationError`.
    init(_ source: ImportSource, format: ImportFormat?, mapping: [FieldMapping]) async throws {
        name = source.name
        input = try source.open()
        totalByteCount = input.totalByteCount
        csv = CSVReader()
        record = CSVRecord()
        bytesRead = 0
        isAtEnd = false
        var header = CSVRecord()
        while try !Self.read(&csv, into: &header, name: name) {
            guard !isAtEnd else {
                throw ImportError.unknownFormat(name: name, headers: [])
            }
            isAtEnd = try await Self.refill(&csv, from: &input, count: &bytesRead)
        }
        plan = try RowPlan(header: header, name: name, format: format, mapping: mapping)
        rowReader = RowReader(plan: plan)
    }

    /// The next rows, at most so many records; nil at the end.
    mutating func nextBatch(upTo limit: Int) async throws -> Batch? {
        var batch = Batch()
        while batch.recordCount < limit {
            if try Self.read(&csv, into: &record, name: name) {
                take(into: &batch)
            } else if isAtEnd {
                break
            } else {
                isAtEnd = try await Self.refill(&csv, from: &input, count: &bytesRead)
            }
        }
        batch.bytesRead = bytesRead
        return batch.recordCount == 0 ? nil : batch
    }

    private func take(into batch: inout Batch) {
        batch.recordCount += 1
        switch rowReader.read(record) {
        case .book(let book, let warnings):
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

    /// Gives the reader the next piece of the input; true at its end.
    private static func refill(
        _ csv: inout CSVReader, from input: inout ImportInput, count: inout Int
    ) async throws -> Bool {
        guard let bytes = try await input.next() else {
            csv.finish()
            return true
        }
        count += bytes.count
        csv.append(bytes)
        return false
    }
}

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
    }

    nonisolated let plan: RowPlan
    nonisolated let totalByteCount: Int?

    private let name: String
    private let rowReader: RowReader
    private let input: ImportInput
    private var csv: CSVReader
    private var record = CSVRecord()
    private var bytesRead: Int
    private var isAtEnd = false

    /// Opens a source and reads its header.
    ///
    /// - Throws: `ImportError` when the source cannot be read or is no table of books; `CancellationError`.
    static func open(
        _ source: ImportSource, format: ImportFormat?, mapping: [FieldMapping]
    ) async throws -> RowStream {
        let input = try source.open()
        var csv = CSVReader()
        var header = CSVRecord()
        var bytesRead = 0
        while try !read(&csv, into: &header, name: source.name) {
            guard let bytes = try await input.next() else {
                csv.finish()
                guard try read(&csv, into: &header, name: source.name) else {
                    throw ImportError.unknownFormat(name: source.name, headers: [])
                }
                break
            }
            bytesRead += bytes.count
            csv.append(bytes)
        }
        let plan = try RowPlan(header: header, name: source.name, format: format, mapping: mapping)
        return RowStream(plan: plan, name: source.name, input: input, csv: csv, bytesRead: bytesRead)
    }

    private init(plan: RowPlan, name: String, input: ImportInput, csv: CSVReader, bytesRead: Int) {
        self.plan = plan
        self.name = name
        self.input = input
        self.csv = csv
        self.bytesRead = bytesRead
        totalByteCount = input.totalByteCount
        rowReader = RowReader(plan: plan)
    }

    /// The next rows, at most so many records; nil at the end. Not to be called again before it returned.
    func nextBatch(upTo limit: Int) async throws -> Batch? {
        var batch = Batch()
        while batch.recordCount < limit {
            if try Self.read(&csv, into: &record, name: name) {
                take(into: &batch)
            } else if isAtEnd {
                break
            } else if let bytes = try await input.next() {
                bytesRead += bytes.count
                csv.append(bytes)
            } else {
                isAtEnd = true
                csv.finish()
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
}

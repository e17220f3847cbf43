import BookDB
import Testing

@testable import BookImport

/// What the rows of a small table become.
struct Rows {
    var books: [ImportedBook] = []
    var rejects: [ImportResult.Reject] = []
    var warnings: [String] = []
    var plan: RowPlan

    init(
        _ source: ImportSource, format: ImportFormat? = nil, mapping: [FieldMapping] = [], dates: DateOrder? = nil,
        encoding: TextEncoding? = nil
    ) async throws {
        let stream = try await RowStream.open(
            source,
            options: ImportOptions(
                format: format, mapping: mapping, source: mapping.isEmpty ? nil : "table", encoding: encoding,
                dates: dates))
        plan = stream.plan
        while let batch = try await stream.nextBatch(upTo: 7) {
            books += batch.rows.map(\.book)
            rejects += batch.rejects
            warnings += batch.warnings.map { "\($0.line): \($0.message)" }
        }
    }

    init(
        _ text: String, format: ImportFormat? = nil, mapping: [FieldMapping] = [], dates: DateOrder? = nil
    ) async throws {
        try await self.init(.bytes(Array(text.utf8), name: "table.csv"), format: format, mapping: mapping, dates: dates)
    }
}

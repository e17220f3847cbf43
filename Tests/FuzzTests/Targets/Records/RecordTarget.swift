import StorageEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@testable import BookDB
@testable import RecordStore

extension FuzzTarget {
    /// A record that is decoded is written again as it was, when it was written by the rules; by rules or not, what is written
    /// reads back as the same, and everything the library derives from it can be made.
    static let record = FuzzTarget(
        name: "record", summary: "the record decoders, and what is made from records", byteLimit: 512
    ) { bytes in
        guard let kind = bytes.first else { return }
        let record = Array(bytes.dropFirst())
        if kind >= 250 { return try checkOrder(record) }
        switch kind % 5 {
        case 0: try checkWork(record)
        case 1: try checkEdition(record)
        case 2: try checkAuthor(record)
        case 3: try checkEntry(record)
        default: try checkRow(record)
        }
    }
}

/// Bytes of a declaration, as many as the first says, and behind them of a record.
private func checkOrder(_ bytes: [UInt8]) throws {
    var reader = ByteReader(bytes)
    let declared = reader.bytes(Int(reader.byte()))
    guard let order = try? OrderDeclaration(decoding: declared) else { return }
    try claim(try OrderDeclaration(decoding: order.encoded()) == order, "\(order) reads back as another")
    try claim(order.columns.count == order.columnCount, "\(order) has other columns than it counts")
    var entries: [OrderEntry] = []
    guard let fields = try? RecordFields(reader.remainder()),
        (try? order.appendEntries(of: fields, 5, 0, to: &entries)) != nil
    else { return }
    try claim(zip(entries, entries.dropFirst()).allSatisfy { $0.precedes($1) }, "the entries of \(order) do not ascend")
    try claim(entries.count == 1 || !order.isOfEveryRecord, "\(entries.count) entries in an order of every record")
    for entry in entries {
        try claim(entry.key.count <= Limits.keyByteCount.upperBound, "a key of \(entry.key.count) bytes")
        try claim(entry.facets >> UInt16(order.facets.count) == 0 || order.facets.count == 16, "facets \(entry.facets)")
        try claim(entry.value.count == 8 * order.amountCount, "a value of \(entry.value.count) bytes")
        var end = 0
        for component in order.components {
            guard let next = component.end(in: entry.key, from: end, nil) else {
                return try claim(false, "a component of \(entry.key) does not end")
            }
            end = next
        }
        try claim(end + 8 == entry.key.count, "the components of \(entry.key) end at \(end)")
    }
}

private let work = ID<Work>(device: 7, counter: 1)

private func checkWork(_ record: [UInt8]) throws {
    guard let (known, texts) = try? Work.decode(record.span.bytes, id: work) else { return }
    var decoded = known
    if texts & TextKind.description.flag != 0 { decoded.description = "kept elsewhere" }
    let written = decoded.encodedRecord()
    try check(record, written, PlainRecord.work)
    var (again, _) = try Work.decode(written.span.bytes, id: work)
    again.description = decoded.description
    try claim(again.encodedRecord() == written, "\(decoded) is written in two ways")
    let author = Author(decoded.title, sortName: decoded.sortTitle ?? "")
    for keys in FilingTailoring.allCases.map({ WorkKeys(decoded, authors: [author], entry: nil, filing: $0) }) {
        for key in keys.all.map(keys.bytes) {
            try claim(Limits.keyByteCount.contains(key.count), "a key of \(key.count) bytes")
        }
    }
    for key in decoded.matchKeys(authors: [author]).map({ LibraryKey.match($0, work) }) {
        try claim(Limits.keyByteCount.contains(key.count), "a key of \(key.count) bytes")
    }
    let row = WorkListRow.make(work: decoded, authors: [author], entry: nil).encoded()
    try claim(row.count <= 50 << 10 && StoredRow.isReadable(row.span.bytes), "a row of \(row.count) bytes")
    // People are shown times in milliseconds, which must fit an integer again.
    try claim(
        Int64(exactly: (decoded.dateAdded.timeIntervalSince1970 * 1000).rounded()) != nil, "no time of this world")
    try checkLine(decoded.jsonLine())
}

private func checkEdition(_ record: [UInt8]) throws {
    let id = ID<Edition>(device: 7, counter: 2)
    guard let decoded = try? Edition.decode(record.span.bytes, id: id, work: work) else { return }
    let written = decoded.encodedRecord()
    try check(record, written, PlainRecord.edition)
    let again = try Edition.decode(written.span.bytes, id: id, work: work)
    try claim(again.encodedRecord() == written, "\(decoded) is written in two ways")
    for isbn in decoded.isbns { try claim(ISBN(isbn.description) == isbn, "\(isbn) is not read as what it is") }
    try checkLine(decoded.jsonLine())
}

private func checkAuthor(_ record: [UInt8]) throws {
    let id = ID<Author>(device: 7, counter: 3)
    guard let decoded = try? Author.decode(record.span.bytes, id: id) else { return }
    let written = decoded.encodedRecord()
    try check(record, written, PlainRecord.author)
    let again = try Author.decode(written.span.bytes, id: id)
    try claim(again.encodedRecord() == written, "\(decoded) is written in two ways")
    let key = LibraryKey.authorName(decoded.name, id)
    try claim(Limits.keyByteCount.contains(key.count), "a key of \(key.count) bytes")
    try checkLine(decoded.jsonLine())
}

private func checkEntry(_ record: [UInt8]) throws {
    guard let (known, texts) = try? UserLibraryEntry.decode(record.span.bytes, work: work) else { return }
    var decoded = known
    if texts & TextKind.notes.flag != 0 { decoded.notes = "kept elsewhere" }
    if texts & TextKind.review.flag != 0 { decoded.review = "kept elsewhere" }
    let written = decoded.encodedRecord()
    try check(record, written, PlainRecord.entry)
    var (again, _) = try UserLibraryEntry.decode(written.span.bytes, work: work)
    again.notes = decoded.notes
    again.review = decoded.review
    try claim(again.encodedRecord() == written, "\(decoded) is written in two ways")
    for day in [decoded.dateStarted, decoded.dateFinished] {
        guard let day else { continue }
        try claim(Day("\(day)") == day, "\(day) is not read as what it is")
    }
    try checkLine(decoded.jsonLine())
}

private func checkRow(_ bytes: [UInt8]) throws {
    let row = bytes.span.bytes
    guard StoredRow.isReadable(row) else { return }
    _ = (StoredRow.status(row), StoredRow.rating(row), StoredRow.reviewStatus(row), StoredRow.isOwned(row))
    let texts = StoredRow.title(row).utf8.count + StoredRow.authors(row).utf8.count
    // A byte that is not UTF-8 becomes three.
    try claim(texts <= 3 * bytes.count, "\(texts) bytes of text in \(bytes.count)")
    _ = (
        StoredRow.coverURL(row, StoredRow.texts(row)), StoredRow.year(row), StoredRow.dateFinished(row),
        StoredRow.language(row)
    )
    try claim(StoredRow.otherNames(row).utf8.count <= 3 * bytes.count, "other names longer than the row")
}

private func check(_ record: [UInt8], _ written: [UInt8], _ shape: [UInt64: PlainRecord.Field]) throws {
    guard PlainRecord.isCanonical(record, shape) else { return }
    try claim(written == record, "\(record) is written as \(written)")
}

private func checkLine(_ line: String) throws {
    try claim(line.utf8.allSatisfy { $0 >= 0x20 }, "a line of JSON is cut in two: \(line)")
}

import BookImport

extension FuzzTarget {
    /// With the usual limits, the records are those of a parser that has the whole input before it; with limits and pieces
    /// of any size, they are the same for all pieces, and no larger than the input warrants.
    static let csv = FuzzTarget(
        name: "csv", summary: "the CSV reader in pieces of any size, against a plain parser", byteLimit: 1024
    ) { bytes in
        var reader = ByteReader(bytes)
        let mode = reader.byte()
        let separator: CSVSeparator? = [nil, .comma, .semicolon, .tab][Int(mode & 3)]
        let pieces = Int(mode >> 2) % 17
        var limits = CSVReader.Limits()
        if mode >= 128 {
            limits.fieldByteCount = 1 + Int(reader.byte())
            limits.recordByteCount = 1 + Int(reader.byte()) * 4
        }
        let text = reader.remainder()
        let whole = try read(text, pieces: .max, separator, limits)
        let cut = try read(text, pieces: pieces + 1, separator, limits)
        try claim(whole == cut, "in one piece: \(whole), in pieces of \(pieces + 1): \(cut)")
        guard case .success(let records) = whole else { return }
        let lines = records.map(\.line)
        try claim(lines == lines.sorted(), "the lines do not ascend: \(lines)")
        let delivered = records.reduce(0) { $0 + $1.byteCount }
        // Bytes are read a second time only within the reader's budget.
        try claim(
            delivered <= 2 * text.count + 9 * limits.fieldByteCount, "\(delivered) bytes came out of \(text.count)")
        if mode < 128 {
            let plain = PlainCSV.records(of: text, separator)
            try claim(records == plain, "the reader gives \(records), the plain parser \(plain)")
        }
    }
}

private func read(
    _ text: [UInt8], pieces: Int, _ separator: CSVSeparator?, _ limits: CSVReader.Limits
) throws -> Result<[PlainCSV.Record], CSVError> {
    var reader = CSVReader(separator: separator, limits: limits)
    var record = CSVRecord()
    var records: [PlainCSV.Record] = []
    func drain() throws(CSVError) {
        while try reader.next(into: &record) { records.append(PlainCSV.Record(record)) }
    }
    do throws(CSVError) {
        var rest = text[...]
        while !rest.isEmpty {
            reader.append(Array(rest.prefix(pieces)))
            rest = rest.dropFirst(pieces)
            try drain()
        }
        reader.finish()
        try drain()
    } catch {
        do throws(CSVError) { try drain() } catch { return .failure(error) }
        throw FuzzFinding("what is no CSV became one: \(error)")
    }
    return .success(records)
}

/// Some records as the library has them: their bytes lie one behind the other, in one piece of memory, and a row is made as it is asked for.
///
/// Of no type, so that reading a page looks no types up at run time; who asks for a row says which records these are.
struct RecordPage: Sendable {
    private(set) var identifiers: [UInt64] = []
    private var ranges: [Range<Int>] = []
    private let bytes: [UInt8]
    private let fields: KnownFields

    /// - Parameter ranges: where each record lies; `nil` for one that is left out.
    init(_ identifiers: [UInt64], _ ranges: [Range<Int>?], in bytes: [UInt8], _ fields: KnownFields) {
        self.bytes = bytes
        self.fields = fields
        self.identifiers.reserveCapacity(identifiers.count)
        self.ranges.reserveCapacity(identifiers.count)
        for (id, range) in zip(identifiers, ranges) {
            guard let range else { continue }
            self.identifiers.append(id)
            self.ranges.append(range)
        }
    }

    init(_ identifiers: [UInt64], _ ranges: [Range<Int>], in bytes: [UInt8], _ fields: KnownFields) {
        (self.identifiers, self.ranges, self.bytes, self.fields) = (identifiers, ranges, bytes, fields)
    }

    /// No records.
    static let empty = RecordPage([], [Range<Int>](), in: [], KnownFields.Origin().known)

    var count: Int { identifiers.count }

    func row<Value: Record>(_ index: Int) -> RecordRow<Value> {
        RecordRow(ID(rawValue: identifiers[index]), RecordBytes(bytes, ranges[index]), fields)
    }

    func map<Value: Record, Line, Failure>(
        _ line: (RecordRow<Value>) throws(Failure) -> Line
    ) throws(Failure) -> [Line] {
        var lines: [Line] = []
        lines.reserveCapacity(count)
        for index in 0..<count { lines.append(try line(row(index))) }
        return lines
    }

    /// All of each.
    ///
    /// - Throws: `LibraryError.damaged` when one of them cannot be read.
    func records<Value: Record>() throws(LibraryError) -> [Value] {
        let kind = RecordKind<Value>.current
        var records: [Value] = []
        records.reserveCapacity(count)
        for index in 0..<count {
            records.append(try kind.decode(RecordBytes(bytes, ranges[index]), id: ID(rawValue: identifiers[index])))
        }
        return records
    }
}

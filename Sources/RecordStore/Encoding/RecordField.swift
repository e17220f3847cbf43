import StorageEngine

/// One field of a record, found but not yet decoded.
///
/// ```
/// ┌───────────────────────┬──────────────────────────────────────────┐
/// │ tag << 3 | wire type  │ 0: a varint                              │
/// │ as a varint           │ 1: eight bytes, big-endian               │
/// │                       │ 2: a varint byte count, then the bytes   │
/// └───────────────────────┴──────────────────────────────────────────┘
/// ```
///
/// The wire type says where a field ends, so that a version that does not know the tag can carry it along.
///
/// Fields are written in ascending order of their tag, a default value is left out, and a tag is used once and for
/// ever: when a field goes, its tag moves to `retired` and no other field takes it. Tags 1...15 take one byte.
@usableFromInline package struct RecordField {
    @usableFromInline package enum Content {
        case number(UInt64)
        case bytes(Range<Int>)
    }

    @usableFromInline package let tag: UInt32
    @usableFromInline package let content: Content

    /// Header and content, within the record.
    @usableFromInline package let range: Range<Int>

    @inlinable init(tag: UInt32, content: Content, range: Range<Int>) {
        (self.tag, self.content, self.range) = (tag, content, range)
    }

    @usableFromInline package enum WireType {
        @inlinable package static var varint: UInt64 { 0 }
        @inlinable package static var eightBytes: UInt64 { 1 }
        @inlinable package static var bytes: UInt64 { 2 }
    }
}

extension RecordField {
    /// An unsigned number, or the bit pattern of an identifier.
    @inlinable package var number: UInt64 {
        get throws(RecordProblem) {
            guard case .number(let number) = content else {
                throw RecordProblem("field \(tag) is bytes where a number is expected", at: range.lowerBound)
            }
            return number
        }
    }

    /// A signed number, stored so that small ones of either sign are short.
    @inlinable package func signed<Integer: FixedWidthInteger>(as type: Integer.Type) throws(RecordProblem) -> Integer {
        let folded = try number
        let value = Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1)
        guard let integer = Integer(exactly: value) else {
            throw RecordProblem("field \(tag) holds \(value), which is out of range", at: range.lowerBound)
        }
        return integer
    }

    @inlinable package var bytes: Range<Int> {
        get throws(RecordProblem) {
            guard case .bytes(let bytes) = content else {
                throw RecordProblem("field \(tag) is a number where bytes are expected", at: range.lowerBound)
            }
            return bytes
        }
    }

    /// Bytes that are not UTF-8 become U+FFFD: what is left of a text is worth showing, and `verify` reports it.
    @inlinable package func text(in record: RawSpan) throws(RecordProblem) -> String {
        let bytes = try bytes
        return record.string(at: bytes.lowerBound, count: bytes.count)
    }

    package func kept(from record: RawSpan) -> UnknownFields.Field {
        UnknownFields.Field(tag: tag, bytes: record.copyBytes(range))
    }
}

/// Walks the fields of a record. Every length is checked against the record before it is believed.
///
/// A cursor holds no bytes: the record is passed to each call, since it may only be read in place.
@usableFromInline package struct RecordCursor {
    @usableFromInline var byteOffset = 0
    @usableFromInline var lastTag: UInt32 = 0

    package init() {}

    /// - Throws: `RecordProblem` when a field is cut short, written too long, or out of order.
    @inlinable package mutating func next(in record: RawSpan) throws(RecordProblem) -> RecordField? {
        guard byteOffset < record.byteCount else { return nil }
        let start = byteOffset
        let header = try varint(in: record)
        guard let tag = UInt32(exactly: header >> 3), tag > 0 else {
            throw RecordProblem("the tag of a field is out of range", at: start)
        }
        guard tag >= lastTag else {
            throw RecordProblem("field \(tag) comes after field \(lastTag)", at: start)
        }
        lastTag = tag
        let content = try content(wireType: header & 7, tag: tag, in: record)
        return RecordField(tag: tag, content: content, range: start..<byteOffset)
    }

    /// Goes past the fields with lower tags, up to the first that is long or wrong: `next` reads that one and says what is wrong.
    mutating func skip(to tag: UInt32, in record: RawSpan) {
        let end = record.byteCount
        while byteOffset + 1 < end {
            let header = record.byte(at: byteOffset)
            let found = UInt32(header >> 3)
            guard header < 0x80, found < tag, found > 0, found >= lastTag else { return }
            var behind = byteOffset + 1
            switch UInt64(header & 7) {
            case RecordField.WireType.varint:
                while behind < end, record.byte(at: behind) >= 0x80 { behind += 1 }
                guard behind < end, behind - byteOffset < 10,
                    behind == byteOffset + 1 || record.byte(at: behind) != 0
                else { return }
                behind += 1
            case RecordField.WireType.eightBytes:
                behind += 8
            case RecordField.WireType.bytes:
                let count = record.byte(at: behind)
                guard count < 0x80 else { return }
                behind += 1 + Int(count)
            default: return
            }
            guard behind <= end else { return }
            (byteOffset, lastTag) = (behind, found)
        }
    }

    /// Whether the next field has a tag above another; `false` for one that `next` has to tell.
    func isBehind(_ tag: UInt32, in record: RawSpan) -> Bool {
        guard byteOffset < record.byteCount else { return true }
        let header = record.byte(at: byteOffset)
        return header < 0x80 && UInt32(header >> 3) > tag
    }

    @inlinable mutating func content(
        wireType: UInt64, tag: UInt32, in record: RawSpan
    ) throws(RecordProblem) -> RecordField.Content {
        switch wireType {
        case RecordField.WireType.varint:
            return .number(try varint(in: record))
        case RecordField.WireType.eightBytes:
            let start = byteOffset
            try advance(by: 8, in: record)
            return .number(record.loadBigEndian(at: start))
        case RecordField.WireType.bytes:
            let count = try varint(in: record)
            let start = byteOffset
            try advance(by: count, in: record)
            return .bytes(start..<byteOffset)
        default:
            throw RecordProblem("field \(tag) has the unknown wire type \(wireType)", at: byteOffset)
        }
    }

    @inlinable mutating func advance(by count: UInt64, in record: RawSpan) throws(RecordProblem) {
        guard count <= UInt64(record.byteCount - byteOffset) else {
            throw RecordProblem("a field of \(count) bytes is cut short", at: byteOffset)
        }
        byteOffset += Int(count)
    }

    /// Seven bits a byte, lowest first. A number has exactly one spelling, so equal records are equal bytes.
    @inlinable mutating func varint(in record: RawSpan) throws(RecordProblem) -> UInt64 {
        let start = byteOffset
        // Most tags, and most lengths.
        if start < record.byteCount {
            let first = record.loadLittleEndian(at: start, as: UInt8.self)
            if first < 0x80 {
                byteOffset += 1
                return UInt64(first)
            }
        }
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard byteOffset < record.byteCount else {
                throw RecordProblem("a number is cut short", at: start)
            }
            let byte = record.loadLittleEndian(at: byteOffset, as: UInt8.self)
            byteOffset += 1
            guard shift < 63 || byte <= 1 else { break }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                guard byte != 0 || shift == 0 else {
                    throw RecordProblem("a number is written longer than it needs to be", at: start)
                }
                return value
            }
        }
        throw RecordProblem("a number has more than 64 bits", at: start)
    }
}

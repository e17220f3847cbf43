/// Reading the fields of a structure that begins at an offset. Precondition: the field lies within the bytes.
extension RawSpan {
    @inline(__always)
    func load<Value: FixedWidthInteger & BitwiseCopyable>(_ field: Field<Value>, at start: Int = 0) -> Value {
        loadLittleEndian(at: start + field.offset, as: Value.self)
    }

    func load(_ field: Field<[UInt8]>, at start: Int = 0) -> [UInt8] {
        copyBytes(start + field.offset..<start + field.end)
    }

    /// Whether a field holds these bytes; `false` where the bytes end before it does.
    func has(_ bytes: [UInt8], in field: Field<[UInt8]>) -> Bool {
        field.end <= byteCount && extracting(field.range).starts(with: bytes)
    }
}

/// Reading and writing the fields of a structure that begins at an offset. Precondition: the field lies within the bytes.
extension [UInt8] {
    func load<Value: FixedWidthInteger & BitwiseCopyable>(_ field: Field<Value>, at start: Int = 0) -> Value {
        withBytes { $0.load(field, at: start) }
    }

    func load(_ field: Field<[UInt8]>, at start: Int = 0) -> [UInt8] { withBytes { $0.load(field, at: start) } }

    @inline(__always)
    mutating func store<Value: FixedWidthInteger & BitwiseCopyable>(
        _ value: Value, in field: Field<Value>, at start: Int = 0
    ) {
        set(littleEndian: value, at: start + field.offset)
    }

    /// If the field has more bytes than are given, the rest stays as it is. Precondition: it has as many.
    mutating func store(_ bytes: [UInt8], in field: Field<[UInt8]>, at start: Int = 0) {
        precondition(bytes.count <= field.byteCount, "the field has room for the bytes")
        bytes.withBytes { set($0, at: start + field.offset) }
    }
}

extension CRC32C {
    /// The checksum of all bytes before the field that holds it.
    static func checksum(_ bytes: RawSpan, before field: Field<UInt32>) -> UInt32 {
        checksum(bytes.extracting(0..<field.offset))
    }

    static func checksum(_ bytes: [UInt8], before field: Field<UInt32>) -> UInt32 {
        bytes.withBytes { checksum($0, before: field) }
    }
}

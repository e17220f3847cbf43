/// Fixed-width little-endian fields, the only integers in a file.
extension [UInt8] {
    package mutating func append<Integer: FixedWidthInteger>(littleEndian value: Integer) {
        // Safe because an integer's bytes are read while it is there.
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
    }

    /// As one buffer, because a sequence of repeated zeros is appended one by one in debug builds.
    mutating func append(zeros count: Int) {
        // Safe because all of the buffer is written before it is read.
        unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { zeros in
            _ = unsafe zeros.initializeMemory(as: UInt8.self, repeating: 0)
            unsafe append(contentsOf: UnsafeRawBufferPointer(zeros))
        }
    }

    /// Writes over bytes that are there already. Precondition: they are.
    mutating func set<Integer: FixedWidthInteger & BitwiseCopyable>(littleEndian value: Integer, at byteOffset: Int) {
        precondition(byteOffset >= 0 && byteOffset + MemoryLayout<Integer>.size <= count, "the field lies within")
        // Safe because the bounds were checked.
        unsafe withUnsafeMutableBytes {
            unsafe $0.storeBytes(of: value.littleEndian, toByteOffset: byteOffset, as: Integer.self)
        }
    }

    /// Zeros from an offset to the end.
    mutating func zero(from byteOffset: Int) { zero(byteOffset..<count) }

    mutating func zero(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "the range lies within")
        // Safe because the bounds were checked.
        unsafe withUnsafeMutableBytes { bytes in
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[range])
            _ = unsafe part.initializeMemory(as: UInt8.self, repeating: 0)
        }
    }

    /// Bytes over bytes that are there. Precondition: they are.
    mutating func set(_ bytes: RawSpan, at byteOffset: Int) {
        precondition(byteOffset >= 0 && byteOffset + bytes.byteCount <= count, "the bytes lie within")
        guard bytes.byteCount > 0 else { return }
        // Safe because the bounds were checked.
        unsafe withUnsafeMutableBytes { target in
            unsafe bytes.withUnsafeBytes {
                unsafe (target.baseAddress! + byteOffset).copyMemory(from: $0.baseAddress!, byteCount: $0.count)
            }
        }
    }
}

extension [UInt8] {
    /// A key of eight bytes that orders as its number does.
    static func key(_ number: UInt64) -> [UInt8] { number.withBigEndianBytes { $0.copyBytes() } }
}

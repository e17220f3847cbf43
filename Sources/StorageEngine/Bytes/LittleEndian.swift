/// Fixed-width little-endian fields, the only integers in a file.
extension Array where Element == UInt8 {
    mutating func append<Integer: FixedWidthInteger>(littleEndian value: Integer) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }

    /// Writes over bytes that are there already.
    mutating func set<Integer: FixedWidthInteger>(littleEndian value: Integer, at byteOffset: Int) {
        Swift.withUnsafeBytes(of: value.littleEndian) { bytes in
            for (index, byte) in bytes.enumerated() { self[byteOffset + index] = byte }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Precondition: the field lies within the buffer.
    func littleEndian<Integer: FixedWidthInteger & BitwiseCopyable>(_ byteOffset: Int, _ type: Integer.Type) -> Integer
    {
        precondition(byteOffset >= 0 && byteOffset + MemoryLayout<Integer>.size <= count, "the field lies within")
        // Safe because the bounds were checked and every bit pattern is an integer.
        return Integer(littleEndian: loadUnaligned(fromByteOffset: byteOffset, as: Integer.self))
    }

    /// The offset of the last byte that is not zero, at or behind `start`. Eight bytes at a time: reserved log space is
    /// a megabyte of zeros.
    func lastNonZero(from start: Int) -> Int? {
        var end = count
        while end - start >= 8, loadUnaligned(fromByteOffset: end - 8, as: UInt64.self) == 0 { end -= 8 }
        while end > start, self[end - 1] == 0 { end -= 1 }
        return end > start ? end - 1 : nil
    }
}

extension [UInt8] {
    /// A key of eight bytes that orders as its number does.
    static func key(_ number: UInt64) -> [UInt8] {
        Swift.withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    }
}

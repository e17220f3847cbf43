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
}

extension [UInt8] {
    /// A key of eight bytes that orders as its number does.
    static func key(_ number: UInt64) -> [UInt8] {
        Swift.withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    }
}

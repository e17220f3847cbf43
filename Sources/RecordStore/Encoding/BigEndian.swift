/// Numbers in keys are big-endian: byte order is then number order.
extension [UInt8] {
    @inlinable package mutating func append(bigEndian value: some FixedWidthInteger) {
        // Safe because the bytes of an integer are there during the call.
        unsafe Swift.withUnsafeBytes(of: value.bigEndian) { unsafe append(contentsOf: $0) }
    }

    /// The eight bytes of a number.
    package static func bigEndian(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8)
        bytes.append(bigEndian: value)
        return bytes
    }
}

extension [UInt8] {
    /// Eight bytes of a key as a number; zero when there are not as many.
    package func number(at offset: Int) -> UInt64 {
        guard offset >= 0, offset + 8 <= count else { return 0 }
        return self[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

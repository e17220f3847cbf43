/// Numbers in keys are big-endian: byte order is then number order.
extension [UInt8] {
    mutating func append(bigEndian value: UInt64) {
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// The eight bytes of a number.
    static func bigEndian(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8)
        bytes.append(bigEndian: value)
        return bytes
    }
}

/// Numbers in keys are big-endian: byte order is then number order.
extension [UInt8] {
    mutating func append(bigEndian value: UInt64) {
        // Safe because the bytes of an integer are there during the call.
        unsafe Swift.withUnsafeBytes(of: value.bigEndian) { unsafe append(contentsOf: $0) }
    }

    /// The eight bytes of a number.
    static func bigEndian(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8)
        bytes.append(bigEndian: value)
        return bytes
    }
}

extension [UInt8] {
    /// The engine's, once more: one of another module is made for no type, and looks it up each time.
    mutating func appendLittleEndian<Integer: FixedWidthInteger>(_ value: Integer) {
        for shift in stride(from: 0, to: Integer.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: value >> Integer(shift)))
        }
    }
}

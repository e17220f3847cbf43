/// Up to sixteen bytes that are put together in two registers and appended at once: each append by itself asks whether the array is another's,
/// too, and has room.
struct ShortBytes {
    /// The first eight, little-endian, and those behind.
    private var (low, high): (UInt64, UInt64) = (0, 0)
    private(set) var byteCount: Int

    /// Zeros. Precondition: sixteen at most.
    init(zeros byteCount: Int) {
        precondition((0...Self.capacity).contains(byteCount), "there is room")
        self.byteCount = byteCount
    }

    private static let capacity = 16

    /// Precondition: the field lies within, and nothing was stored in it.
    mutating func store<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value, in field: Field<Value>) {
        precondition(field.end <= byteCount, "the field lies within")
        put(UInt64(value), at: field.offset)
    }

    private mutating func put(_ number: UInt64, at offset: Int) {
        let shift = UInt64(8 * (offset & 7))
        guard offset < 8 else { return high |= number &<< shift }
        low |= number &<< shift
        if shift > 0 { high |= number &>> (64 - shift) }
    }

    /// As `[UInt8].append(variableLengthNumber:)`. Precondition: there is room for four bytes.
    mutating func append(variableLengthNumber number: UInt32) {
        precondition(
            number < 1 << 28 && byteCount + 4 <= Self.capacity, "the number has at most 28 bits, and there is room")
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    private mutating func append(_ byte: UInt8) {
        put(UInt64(byte), at: byteCount)
        byteCount += 1
    }

    func append(to bytes: inout [UInt8]) {
        // Safe because an integer has no padding, and `byteCount` is sixteen at most.
        unsafe Swift.withUnsafeBytes(of: (low.littleEndian, high.littleEndian)) {
            unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[..<byteCount]))
        }
    }
}

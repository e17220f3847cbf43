/// Numbers of seven bits a byte, the lowest first; every byte but the last has its top bit set (LEB128, as in the DWARF format).
extension RawSpan {
    /// The number at an offset, in one to four bytes and no more than it needs, and where it ends; `nil` when there is none.
    func variableLengthNumber(at start: Int) -> (number: UInt32, end: Int)? {
        var number: UInt32 = 0
        for index in 0..<4 where start + index < byteCount {
            let byte = loadLittleEndian(at: start + index, as: UInt8.self)
            number |= UInt32(byte & 0x7F) << UInt32(7 * index)
            guard byte & 0x80 == 0 else { continue }
            return byte == 0 && index > 0 ? nil : (number, start + index + 1)
        }
        return nil
    }
}

extension [UInt8] {
    /// Precondition: the number has at most 28 bits.
    mutating func append(variableLengthNumber number: UInt32) {
        precondition(number < 1 << 28, "the number has at most 28 bits")
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}

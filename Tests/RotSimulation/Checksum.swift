/// CRC-32C as `Formats/README.md` defines it: the oracle's own, so that it does not share the engine's mistakes.
enum Checksum {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
    }

    static func crc32c(_ parts: ArraySlice<UInt8>...) -> UInt32 {
        var crc = ~UInt32(0)
        for part in parts {
            for byte in part { crc = table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8 }
        }
        return ~crc
    }
}

extension [UInt8] {
    /// Bytes that are not UTF-8 become U+FFFD.
    package var repairedText: [UInt8] {
        allSatisfy { $0 < 0x80 } ? self : Array(String(decoding: self, as: UTF8.self).utf8)
    }
}

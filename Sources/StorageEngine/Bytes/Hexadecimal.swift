extension FixedWidthInteger where Self: UnsignedInteger {
    /// Two digits a byte: eight of a checksum, sixteen of a hash.
    var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.count) + digits
    }
}

extension [UInt8] {
    /// A key in a message: its bytes, two digits each, and when they all are printable ASCII their text.
    var keyText: String {
        let shown = prefix(32)
        let digits = shown.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let text = allSatisfy { (0x20..<0x7F).contains($0) } ? " (\"\(String(decoding: shown, as: UTF8.self))\")" : ""
        return digits + (count > shown.count ? "..." : "") + text
    }
}

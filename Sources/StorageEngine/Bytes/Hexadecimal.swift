extension UInt32 {
    /// Eight digits, as checksums are shown.
    var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

/// A Unicode scalar of two bytes or more within valid UTF-8, and where it ends.
struct UTF8Scalar {
    let value: UInt32
    let end: Int

    /// - Parameter start: the index of its first byte.
    init(_ text: ArraySlice<UInt8>, at start: Int) {
        let first = text[start]
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        end = min(start + length, text.endIndex)
        var value = UInt32(first) & (0xFF >> UInt32(length + 1))
        for index in start + 1..<max(start + 1, end) {
            value = value << 6 | UInt32(text[index] & 0x3F)
        }
        self.value = value
    }
}

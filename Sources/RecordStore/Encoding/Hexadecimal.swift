extension Sequence<UInt8> {
    /// Two digits a byte.
    package var hexadecimal: String { map { String(Int($0) + 256, radix: 16).dropFirst() }.joined() }
}

extension [UInt8] {
    /// `nil` for a text that is not two digits a byte.
    init?(hexadecimal text: String) {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var digits = text.utf8.makeIterator()
        while let high = digits.next(), let low = digits.next() {
            guard let high = Character(Unicode.Scalar(high)).hexDigitValue,
                let low = Character(Unicode.Scalar(low)).hexDigitValue
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        self = bytes
    }
}

extension Sequence<UInt8> {
    /// Two digits a byte.
    package var hexadecimal: String { map { String(Int($0) + 256, radix: 16).dropFirst() }.joined() }
}

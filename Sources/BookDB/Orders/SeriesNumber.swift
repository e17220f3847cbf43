/// The place of a volume in its series as six bytes of a key, by value: 2 before 10, and 2.5 between 2 and 3.
///
/// What is no number, or none at all, comes behind the numbers.
enum SeriesNumber {
    static let byteCount = 6

    /// Of a volume without a number.
    static let none = [UInt8](repeating: 0xFF, count: byteCount)

    /// The first number in the text, such as 2.5 in `2.5`, 1 in `#1-3` and 3.1 in `3.1.10`: a whole part below 2^32 - 1, and the first four
    /// digits behind the point. By rules that are a part of `LibraryMeta.filingRulesOfBooks`.
    static func key(_ text: String?) -> [UInt8] {
        let digits = (text ?? "").utf8.drop { !isDigit($0) }
        let whole = digits.prefix(while: isDigit)
        guard !whole.isEmpty, let value = UInt32(String(decoding: whole, as: UTF8.self)), value < .max else {
            return none
        }
        var fraction: UInt16 = 0
        let behind = digits.dropFirst(whole.count)
        if behind.first == UInt8(ascii: ".") || behind.first == UInt8(ascii: ",") {
            let decimals = behind.dropFirst().prefix(4).prefix(while: isDigit)
            for digit in decimals { fraction = fraction * 10 + UInt16(digit - UInt8(ascii: "0")) }
            for _ in decimals.count..<4 { fraction *= 10 }
        }
        return [
            UInt8(truncatingIfNeeded: value >> 24), UInt8(truncatingIfNeeded: value >> 16),
            UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value),
            UInt8(truncatingIfNeeded: fraction >> 8), UInt8(truncatingIfNeeded: fraction),
        ]
    }

    /// What a key stands for; `nil` for none.
    static func text(ofKey key: [UInt8]) -> String? {
        guard key.count == byteCount, key != none else { return nil }
        let whole = key.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let fraction = Int(key[4]) << 8 | Int(key[5])
        guard fraction > 0 else { return String(whole) }
        var digits = String(String(10_000 + fraction).dropFirst())
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)"
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

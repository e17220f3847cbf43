/// Reads an input as a list of choices. Behind the end everything is 0, so every input means something.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Lower bits first, as everything else in a store.
    mutating func number<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer {
        var number: Integer = 0
        for shift in stride(from: 0, to: Integer.bitWidth, by: 8) {
            number |= Integer(truncatingIfNeeded: byte()) << shift
        }
        return number
    }

    /// Below `limit`, which fits a byte; one byte is used.
    mutating func choice(_ limit: Int) -> Int { Int(byte()) % limit }

    /// As many of the bytes as there are.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func remainder() -> [UInt8] { bytes(rest.count) }
}

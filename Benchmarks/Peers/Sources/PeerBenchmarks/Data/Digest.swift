/// A number that two answers share when all their fields do.
struct Digest {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ number: Int?) {
        for shift in stride(from: 0, to: 64, by: 8) { add(byte: UInt8(truncatingIfNeeded: (number ?? -1) >> shift)) }
    }

    mutating func add(_ text: String?) {
        guard let text else { return add(byte: 0xFE) }
        for byte in text.utf8 { add(byte: byte) }
        add(byte: 0xFF)
    }

    private mutating func add(byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

    static func of(_ rows: [ListRow]) -> UInt64 {
        var digest = Digest()
        for row in rows {
            digest.add(Int(row.id))
            digest.add(row.title)
            digest.add(row.authors)
            digest.add(row.coverURL)
            digest.add(row.year)
            digest.add(row.status)
            digest.add(row.rating)
        }
        return digest.value
    }

    static func of(_ sessions: [SessionRecord]) -> UInt64 {
        var digest = Digest()
        for session in sessions {
            for byte in session.packed { digest.add(byte: byte) }
        }
        return digest.value
    }

    static func of(_ numbers: [Int]) -> UInt64 {
        var digest = Digest()
        for number in numbers { digest.add(number) }
        return digest.value
    }

    static func of(_ works: [FullWork]) -> UInt64 {
        var digest = Digest()
        for work in works {
            for byte in work.packed { digest.add(byte: byte) }
        }
        return digest.value
    }
}

/// Numbers as people read them: `212 406`, `41.9 MiB`, `1.9 s`.
enum NumberText {
    /// Digits in groups of three: `212 406`; four digits stay together only below `1 000`.
    static func count(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { grouped.append(" ") }
            grouped.append(digit)
        }
        return number < 0 ? "−" + grouped : grouped
    }

    /// `1 work`, `212 406 works`.
    static func count(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
        "\(count(number)) \(number == 1 ? singular : plural ?? singular + "s")"
    }

    /// `812 B`, `14.2 KiB`, `1 375.0 MiB`.
    static func bytes(_ byteCount: Int) -> String {
        switch byteCount.magnitude {
        case 0..<1024: "\(byteCount) B"
        case 1024..<1_048_576: tenths(byteCount, per: 1024) + " KiB"
        default: tenths(byteCount, per: 1_048_576) + " MiB"
        }
    }

    /// `120 µs`, `3 ms`, `1.9 s`, `2:05 min`.
    static func duration(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let microseconds = Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
        switch microseconds {
        case ..<1_000: return "\(microseconds) µs"
        case ..<10_000: return tenths(microseconds, per: 1_000) + " ms"
        case ..<1_000_000: return "\((microseconds + 500) / 1_000) ms"
        case ..<60_000_000: return tenths(microseconds, per: 1_000_000) + " s"
        default:
            let whole = (microseconds + 500_000) / 1_000_000
            return "\(whole / 60):\(whole % 60 < 10 ? "0" : "")\(whole % 60) min"
        }
    }

    /// `24 %`; `0 %` of nothing.
    static func percent(_ part: Int, of whole: Int) -> String {
        whole == 0 ? "0 %" : percent(Double(part) / Double(whole))
    }

    /// The same of a share. One beyond all sense, as a forged file may have, is cut.
    static func percent(_ share: Double) -> String {
        "\(Int(max(-1e15, min(1e15, (share * 100).rounded())))) %"
    }

    private static func tenths(_ number: Int, per unit: Int) -> String {
        let (whole, rest) = number.magnitude.quotientAndRemainder(dividingBy: UInt(unit))
        let tenths = Int(clamping: whole * 10 + (rest * 20 / UInt(unit) + 1) / 2)
        return (number < 0 ? "−" : "") + count(tenths / 10) + ".\(tenths % 10)"
    }
}

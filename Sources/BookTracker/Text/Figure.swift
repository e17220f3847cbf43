/// Numbers as people read them: `19 000`, `4.2 ms`, `14.2 MB`.
enum Figure {
    static func count(_ number: Int) -> String {
        var grouped = ""
        let digits = String(number.magnitude)
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { grouped.append(" ") }
            grouped.append(digit)
        }
        return number < 0 ? "-" + grouped : grouped
    }

    static func count(_ number: Int, _ noun: String) -> String { "\(count(number)) \(noun)\(number == 1 ? "" : "s")" }

    static func time(nanoseconds: Int) -> String {
        let microseconds = nanoseconds / 1_000
        return switch microseconds {
        case ..<1_000: "\(microseconds) µs"
        case ..<1_000_000: tenths(microseconds, per: 1_000) + " ms"
        default: tenths(microseconds, per: 1_000_000) + " s"
        }
    }

    static func bytes(_ count: Int) -> String {
        count.magnitude < 1_000_000 ? tenths(count, per: 1_000) + " kB" : tenths(count, per: 1_000_000) + " MB"
    }

    private static func tenths(_ number: Int, per unit: Int) -> String {
        let tenths = (Int(number.magnitude) * 10 + unit / 2) / unit
        // Round numbers, such as limits, are shorter without a fraction.
        let fraction = Int(number.magnitude).isMultiple(of: unit) ? "" : ".\(tenths % 10)"
        return (number < 0 ? "-" : "") + count(tenths / 10) + fraction
    }
}

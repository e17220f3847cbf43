/// A moment as text, in UTC: `2026-11-24T10:11:12.345Z`, with as many digits of a second as it takes to read the same moment again.
enum MomentText {
    private static let secondsPerDay: Int64 = 86_400
    /// From 1970 to 2001.
    private static let reference: Int64 = 978_307_200
    /// Beyond it years have five digits.
    private static let limit = 2.5e11
    private static let maximumDigitCount = 9

    /// - Parameter seconds: since 2001.
    /// - Returns: `nil` where no such text is the moment.
    static func text(_ seconds: Double) -> String? {
        // The sign of zero would be lost.
        guard abs(seconds) < limit, seconds.bitPattern != (-0.0).bitPattern else { return nil }
        let whole = seconds.rounded(.down)
        let since1970 = Int64(whole) + reference
        let days = since1970.quotientDown(secondsPerDay)
        guard let days = Int32(exactly: days) else { return nil }
        let rest = Int(since1970 - Int64(days) * secondsPerDay)
        let time = [rest / 3600, rest / 60 % 60, rest % 60].map { String($0 + 100).dropFirst() }.joined(separator: ":")
        var unit = 1.0
        for count in 0...maximumDigitCount {
            let digits = ((seconds - whole) * unit).rounded()
            if digits < unit, whole + digits / unit == seconds {
                let fraction = count == 0 ? "" : "." + String(Int(digits) + Int(unit)).dropFirst()
                let text = "\(Day(daysSince1970: days))T\(time)\(fraction)Z"
                return self.seconds(text)?.bitPattern == seconds.bitPattern ? text : nil
            }
            unit *= 10
        }
        return nil
    }

    /// Since 2001; `nil` for a text that is no such moment.
    static func seconds(_ text: String) -> Double? {
        let halves = text.split(separator: "T", omittingEmptySubsequences: false)
        guard halves.count == 2, let day = Day(String(halves[0])), halves[1].hasSuffix("Z") else { return nil }
        let parts = halves[1].dropLast().split(separator: ".", omittingEmptySubsequences: false)
        let clock = parts[0].split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, clock.count == 3, clock.allSatisfy({ $0.utf8.count == 2 }),
            let hour = Int64(clock[0]), let minute = Int64(clock[1]), let second = Int64(clock[2]),
            (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second)
        else { return nil }
        let whole = Int64(day.daysSince1970) * secondsPerDay + hour * 3600 + minute * 60 + second - reference
        guard parts.count == 2 else { return Double(whole) }
        guard (1...maximumDigitCount).contains(parts[1].utf8.count),
            parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
            let digits = Double(parts[1])
        else { return nil }
        var unit = 1.0
        for _ in parts[1].utf8 { unit *= 10 }
        return Double(whole) + digits / unit
    }
}

extension Int64 {
    fileprivate func quotientDown(_ divisor: Int64) -> Int64 { (self - (self % divisor + divisor) % divisor) / divisor }
}

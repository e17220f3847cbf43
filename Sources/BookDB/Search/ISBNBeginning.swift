import RecordStore

/// The digits at the beginning of an ISBN, in either of its forms.
struct ISBNBeginning: Equatable, Sendable {
    static let leastDigitCount = 4
    /// So many digits are no year and no number in a title.
    private static let sureDigitCount = 7

    /// The 13-digit numbers that begin so.
    let numbers: [Range<UInt64>]
    let isSure: Bool

    /// `nil` for text that is no such beginning: four digits or more, hyphens and blanks between them.
    init?(_ text: String) {
        let symbols = text.prefix(64).filter { $0 != "-" && $0 != " " }
        let digits = symbols.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isWhole = digits.count == symbols.utf8.count
        guard isWhole || (digits.count == 9 && symbols.dropFirst(9).lowercased() == "x"),
            (Self.leastDigitCount...13).contains(symbols.utf8.count), let number = UInt64(String(digits) ?? "")
        else { return nil }
        isSure = symbols.utf8.count >= Self.sureDigitCount && !Self.isPairOfYears(text)
        var numbers: [Range<UInt64>] = []
        if isWhole, text.contains(where: \.isNumber), symbols.hasPrefix("978") || symbols.hasPrefix("979") {
            let unit = Self.power(13 - digits.count)
            numbers.append(number * unit..<(number + 1) * unit)
        }
        if symbols.utf8.count == 10 {
            if let isbn = try? ISBN(symbols) { numbers.append(isbn.digits..<isbn.digits + 1) }
        } else if isWhole, digits.count < 10 {
            // Nine digits of an ISBN-10 stand between 978 and the check digit of the ISBN-13.
            let unit = Self.power(10 - digits.count)
            let first = 978 * Self.power(10) + number * unit
            numbers.append(first..<first + unit)
        }
        guard !numbers.isEmpty else { return nil }
        self.numbers = numbers
    }

    /// `1914-1918` is a title.
    private static func isPairOfYears(_ text: String) -> Bool {
        let parts = text.utf8.split { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return parts.count == 2 && parts.allSatisfy { $0.count == 4 }
    }

    private static func power(_ exponent: Int) -> UInt64 {
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }
}

extension SearchQuery {
    /// What was typed as the beginning of an ISBN, where those are looked through.
    var isbns: ISBNBeginning? { scope == .everything ? ISBNBeginning(text) : nil }
}

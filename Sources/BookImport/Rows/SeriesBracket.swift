import BookDB

/// The series that some sources write into the title: `Gideon the Ninth (The Locked Tomb, #1)`.
struct SeriesBracket {
    /// The title without the bracket.
    var title: String
    var series: [SeriesMembership]

    /// Takes a closing bracket off a title when it names a place in a series; a number sign, or a comma before the
    /// number, is what tells.
    ///
    /// `(Discworld, #2; Rincewind, #2)` names two, `(Disney Princess, 5)` one. `(for Vivian)` and `(Illuminatus 2)` stay
    /// in the title: the second looks like a series to us, but so does `(Volume 2)`.
    init(_ text: String) {
        title = text
        series = []
        guard text.last == ")", let open = Self.openingBracket(of: text) else { return }
        let inside = text[text.index(after: open)...].dropLast()
        let before = text[..<open].trimmingBlanks()
        guard !before.isEmpty else { return }
        if inside.contains("#") {
            series = inside.split(separator: ";").compactMap { Self.membership($0) }
        } else if let comma = inside.lastIndex(of: ",") {
            let name = inside[..<comma].trimmingBlanks()
            let number = inside[comma...].dropFirst().trimmingBlanks()
            guard !name.isEmpty, !number.isEmpty, number.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return }
            series = [SeriesMembership(name: String(name), number: String(number))]
        }
        if !series.isEmpty { title = String(before) }
    }

    /// `The Locked Tomb, #1`, `Saga #1-6` or just a name.
    static func membership(_ text: some StringProtocol) -> SeriesMembership? {
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first else { return nil }
        var name = first.trimmingBlanks()
        if parts.count == 2, name.last == "," { name = name.dropLast().trimmingBlanks() }
        guard !name.isEmpty, let cleanName = CleanText.line(String(name)) else { return nil }
        return SeriesMembership(name: cleanName, number: parts.count == 2 ? CleanText.line(String(parts[1])) : nil)
    }

    /// The bracket that the last character closes, where brackets may stand within brackets.
    private static func openingBracket(of text: String) -> String.Index? {
        var depth = 0
        for index in text.indices.reversed() {
            switch text[index] {
            case ")": depth += 1
            case "(":
                depth -= 1
                if depth == 0 { return index }
            default: break
            }
        }
        return nil
    }
}

/// Reads the names of several people from one field.
enum PersonList {
    /// Names as shown, with commas between: `David Mazzucchelli, Richmond Lewis, Martin Luther King, Jr.`.
    static func listed(_ text: String) -> [ImportedBook.Person] {
        var names = DistinctNames()
        for part in text.split(separator: ",") {
            guard let name = CleanText.line(String(part)) else { continue }
            if let last = names.last, suffixes.contains(name.lowercased()) {
                names.replaceLast(by: last + ", " + name)
            } else {
                names.append(name)
            }
        }
        return names.all.map { ImportedBook.Person($0) }
    }

    /// Names in a form nobody has promised: `Tolkien, J. R. R.`, `Neil Gaiman & Terry Pratchett`, `Gaiman; Pratchett`.
    ///
    /// A comma stands between two people when there are two words or more on each side of every comma. The only comma
    /// stands in an inverted name when there is one word on a side of it, or an initial last: `Le Guin, Ursula K.`. What
    /// is neither is kept as it is.
    ///
    /// - Parameter isInverted: whether the names of the column are, so that the only comma of a name is that of an inverted one:
    ///   `Le Fanu, Joseph Sheridan`.
    static func guessed(_ text: String, isInverted: Bool = false) -> [ImportedBook.Person] {
        var people: [ImportedBook.Person] = []
        var names: Set<String> = []
        for part in parts(text) {
            let pieces = pieces(part)
            let found: [ImportedBook.Person]
            if isOrganisation(part) {
                found = [ImportedBook.Person(part)]
            } else if isInverted, let person = inverted(pieces) {
                found = [person]
            } else {
                found = guessed(part, pieces)
            }
            for person in found where names.insert(person.name).inserted { people.append(person) }
        }
        return people
    }

    private static func guessed(_ part: String, _ pieces: [Substring]) -> [ImportedBook.Person] {
        let isList = pieces.allSatisfy { $0.contains(" ") || suffixes.contains($0.lowercased()) }
        if pieces.count > 1, isList, pieces.count > 2 || !endsInInitial(pieces[1]) { return listed(part) }
        return [pieces.count == 2 ? inverted(pieces) ?? ImportedBook.Person(part) : ImportedBook.Person(part)]
    }

    /// Whether a field has inverted names; `nil` when it does not say. In a column where most do, all are taken for inverted.
    static func looksInverted(_ text: String) -> Bool? {
        for part in parts(text) where !isOrganisation(part) {
            let pieces = pieces(part)
            switch pieces.count {
            case 1: if pieces[0].contains(" ") { return false }
            case 2...:
                if suffixes.contains(pieces[pieces.count - 1].lowercased()) { continue }
                if !pieces[0].contains(" ") || endsInInitial(pieces[1]) { return true }
                if pieces.count > 2 { return false }
            default: break
            }
        }
        return nil
    }

    /// `Tolkien, J. R. R.` or `King, Martin Luther, Jr.`; `nil` for what is no single inverted name.
    private static func inverted(_ pieces: [Substring]) -> ImportedBook.Person? {
        let hasSuffix = pieces.count == 3 && suffixes.contains(pieces[2].lowercased())
        guard hasSuffix || (pieces.count == 2 && !suffixes.contains(pieces[1].lowercased())) else { return nil }
        let name = "\(pieces[1]) \(pieces[0])" + (hasSuffix ? ", \(pieces[2])" : "")
        return ImportedBook.Person(name, sortName: pieces.joined(separator: ", "))
    }

    private static func pieces(_ part: String) -> [Substring] {
        part.split(separator: ",").map { $0.trimmingBlanks() }.filter { !$0.isEmpty }
    }

    /// The names of a field, whatever stands between them; `Macmillan & Co.` is one.
    private static func parts(_ text: String) -> [String] {
        var parts = DistinctNames()
        for part in CleanText.list(text, separatedBy: [";", "|", "\n", "\r", "\r\n"]) {
            for name in part.split(separator: "&") {
                guard let name = CleanText.line(String(name)) else { continue }
                if let last = parts.last, part.contains("&"), isCompany(name) {
                    parts.replaceLast(by: last + " & " + name)
                } else {
                    parts.append(name)
                }
            }
        }
        return parts.all
    }

    /// Names in their order, each once.
    private struct DistinctNames {
        private(set) var all: [String] = []
        private var known: Set<String> = []

        var last: String? { all.last }

        mutating func append(_ name: String) {
            if known.insert(name).inserted { all.append(name) }
        }

        mutating func replaceLast(by name: String) {
            known.remove(all.removeLast())
            append(name)
        }
    }

    /// Whether a name is that of a firm: `Macmillan & Co., Ltd.`
    private static func isOrganisation(_ name: String) -> Bool {
        let words = name.lowercased().split { $0 == " " || $0 == "," }
        return words.count > 1 && words.last.map { firms.contains(String($0)) } ?? false
    }

    /// Whether what stands behind an ampersand makes a firm of what stands before it: `Co.`, `Sons Ltd.`
    private static func isCompany(_ name: String) -> Bool {
        name.lowercased().split { $0 == " " || $0 == "," }.first.map { companies.contains(String($0)) } ?? false
    }

    private static let companies: Set = [
        "co", "co.", "company", "cie", "cie.", "sons", "son", "söhne", "sohn", "bros", "bros.", "brothers",
        "associates",
        "partners", "hijos", "fils", "figli",
    ]
    private static let firms = companies.union([
        "inc", "inc.", "ltd", "ltd.", "limited", "llc", "gmbh", "s.a.", "plc", "verlag", "publishers", "publishing",
        "university", "society", "institute", "museum", "committee", "association",
    ])

    private static func endsInInitial(_ name: Substring) -> Bool {
        guard let last = name.split(separator: " ").last else { return false }
        return last.count == 1 || (last.count == 2 && last.last == ".")
    }

    /// A sort name as a source gives it; nil when it says the only name twice, as Goodreads does: `Homer, Homer`.
    static func sortName(_ text: String?, of name: String) -> String? {
        guard let text, text != "\(name), \(name)" else { return nil }
        return text
    }

    private static let suffixes: Set = [
        "jr", "jr.", "sr", "sr.", "ii", "iii", "iv", "md", "m.d.", "phd", "ph.d.", "esq.", "dds", "o.p.", "s.j.",
    ]
}

/// Reads the names of several people from one field.
enum PersonList {
    /// Names as shown, with commas between: `David Mazzucchelli, Richmond Lewis, Martin Luther King, Jr.`.
    static func listed(_ text: String) -> [ImportedBook.Person] {
        var names: [String] = []
        for part in text.split(separator: ",") {
            guard let name = CleanText.line(String(part)) else { continue }
            if let last = names.last, suffixes.contains(name.lowercased()) {
                names[names.count - 1] = last + ", " + name
            } else if !names.contains(name) {
                names.append(name)
            }
        }
        return names.map { ImportedBook.Person($0) }
    }

    /// Names in a form nobody has promised: `Tolkien, J. R. R.`, `Neil Gaiman & Terry Pratchett`, `Gaiman; Pratchett`.
    ///
    /// A comma stands between two people when there are two words or more on each side of every comma. The only comma
    /// stands in an inverted name when there is one word on a side of it, or an initial last: `Le Guin, Ursula K.`. What
    /// is neither is kept as it is.
    static func guessed(_ text: String) -> [ImportedBook.Person] {
        var people: [ImportedBook.Person] = []
        for part in CleanText.list(text, separatedBy: [";", "|", "&", "\n", "\r", "\r\n"]) {
            let pieces = part.split(separator: ",").map { $0.trimmingBlanks() }.filter { !$0.isEmpty }
            let found: [ImportedBook.Person]
            let isList = pieces.allSatisfy { $0.contains(" ") || suffixes.contains($0.lowercased()) }
            if pieces.count > 1, isList, pieces.count > 2 || !endsInInitial(pieces[1]) {
                found = listed(part)
            } else if pieces.count == 2, !suffixes.contains(pieces[1].lowercased()) {
                found = [ImportedBook.Person("\(pieces[1]) \(pieces[0])", sortName: "\(pieces[0]), \(pieces[1])")]
            } else {
                found = [ImportedBook.Person(part)]
            }
            for person in found where !people.contains(where: { $0.name == person.name }) { people.append(person) }
        }
        return people
    }

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

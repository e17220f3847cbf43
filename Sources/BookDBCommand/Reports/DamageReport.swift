import BookDB

/// Damaged places as `verify` and `repair` show them.
extension DamagedPlace {
    /// Where, what was found, what lay there and what is lost of it.
    func lines(_ style: Style) -> [String] {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        var place = page.map { "page \(NumberText.count($0)), " } ?? ""
        if let byteCount, byteCount > 0 {
            place +=
                "bytes \(NumberText.count(byteOffset)) … \(NumberText.count(byteOffset + byteCount - 1)) of \(name)"
        } else {
            place += "byte \(NumberText.count(byteOffset)) of \(name)"
        }
        let words = [place, finding, inside.map { "inside \($0)" }, loss.isEmpty ? nil : loss].compactMap { $0 }
        var lines = words.flatMap { Paragraph.lines($0, indent: 8) }
        if !lines.isEmpty { lines[0] = style.red("DAMAGE") + "  " + lines[0].dropFirst(8) }
        return lines
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("file", file)
            json.optional("page", page)
            json.member("offset", byteOffset)
            json.optional("length", byteCount)
            json.member("part", part)
            json.optional("recordsLost", recordsLost)
            json.array("fix") { json in fix.forEach { json.element($0) } }
            json.member("finding", finding)
            if let inside { json.member("inside", inside) }
            json.member("loss", loss)
        }
    }
}

/// The command to run after a look at a damaged library.
enum NextStep {
    /// Checks of what is made from the records, and so can be made from them once more.
    private static let checksOfLists: Set = ["list rows", "orders", "counts", "indexes", "app orders", "search file"]

    static func commands(after verification: LibraryVerification, _ library: String) -> [String] {
        guard !verification.isSound else { return [] }
        guard !verification.damage.isEmpty else {
            let failed = Set(verification.checks.filter { !$0.passed }.map(\.name))
            // What contradicts itself among the records a reindex would only repeat.
            guard failed.isSubset(of: checksOfLists) else { return [repair(library)] }
            return ["bookdb \(failed == ["search file"] ? "compact" : "reindex") \(word: library)"]
        }
        let fixes = verification.damage.map(\.fix).filter { !$0.isEmpty }
        if fixes.contains(where: { $0.first == "repair" }) { return [repair(library)] }
        let reindexes = fixes.filter { $0.first == "reindex" }
        if let only = reindexes.first, reindexes.allSatisfy({ $0 == only }) {
            return ["bookdb reindex \(word: library) " + only.dropFirst().joined(separator: " ")]
        }
        if reindexes.isEmpty, !fixes.isEmpty { return ["bookdb compact \(word: library)"] }
        return ["bookdb reindex \(word: library)"]
    }

    /// `bookdb repair Library.bookdb --output Library.repaired.bookdb`
    static func repair(_ library: String) -> String {
        var stem = Substring(library)
        while stem.count > 1, stem.hasSuffix("/") { stem.removeLast() }
        if stem.hasSuffix(".bookdb") { stem.removeLast(7) }
        return "bookdb repair \(word: library) --output \(word: stem + ".repaired.bookdb")"
    }

    /// For commands that meet a damaged record: `error`, with the command that saves the rest.
    static func afterDamage(_ error: any Error, in library: String) -> any Error {
        guard case .damaged(let finding) = error as? LibraryError else { return error }
        return CommandFailure(
            status: .badInput, sentence: "The library is damaged: \(finding)", next: repair(library))
    }
}

import ArgumentParser
import BookDB

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Every checksum, index, count and reference.",
        discussion: """
            bookdb verify Library.bookdb
            bookdb verify Library.bookdb --json

            Reads everything and changes nothing; an app may have the library open.
            Ends with 0 when the library is sound and with 1 when it is damaged; then it
            says what is lost, and which command puts it right.
            """
    )

    @Argument(help: "The library.")
    var library: String

    @OptionGroup var common: CommonOptions

    /// As many problems of one check as fit a screen; JSON has all.
    private static let shownCount = 3
    private static let shownPlaces = 8

    func run() async throws {
        let start = ContinuousClock.now
        let progress = ProgressLine("verifying")
        let ticking = progress.ticking()
        defer { ticking.cancel() }
        let verification = try BookStore.verify(at: library)
        ticking.cancel()
        await ticking.value
        progress.clear()
        let time = ContinuousClock.now - start
        if common.json {
            try Output.print(document(verification))
        } else {
            try Output.print(lines(verification, time))
            for command in NextStep.commands(after: verification, library) { StandardError.say("→ \(command)") }
        }
        guard verification.isSound else { throw SilentEnd(status: .found) }
    }

    private func document(_ verification: LibraryVerification) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.verify/1")
            json.member("library", library)
            json.member("sound", verification.isSound)
            json.array("checks") { json in
                for check in verification.checks {
                    json.object { json in
                        json.member("name", check.name)
                        json.member("ok", check.passed)
                        json.member("detail", check.detail)
                        json.member("problems", check.problemCount)
                        json.array("items") { json in check.items.forEach { json.element($0) } }
                        json.member("unchecked", check.uncheckedCount)
                    }
                }
            }
            json.array("damage") { json in verification.damage.forEach { $0.write(to: &json) } }
        }
        return json.text
    }

    private func lines(_ verification: LibraryVerification, _ time: Duration) -> [String] {
        let style = common.style
        let width = verification.checks.map { DisplayWidth.of($0.name) }.max() ?? 0
        var lines: [String] = []
        for check in verification.checks {
            let name = check.name + String(repeating: " ", count: width - DisplayWidth.of(check.name))
            let isWhole = check.uncheckedCount == 0
            let mark = check.passed ? isWhole ? style.green("✓") : "–" : style.red("✗")
            let detail = isWhole ? check.detail : "not checked below the damage"
            lines.append("  \(mark) \(name)  " + DisplayWidth.fitted(detail, to: 84 - width))
            let indent = width + 6
            let items = distinct(check.items).prefix(Self.shownCount)
            lines += items.flatMap { Paragraph.lines($0, indent: indent) }
            // What has no words here is told as a damaged place.
            if check.problemCount > items.count, !items.isEmpty || verification.damage.isEmpty {
                let rest = NumberText.count(check.problemCount - items.count)
                let words = items.isEmpty ? NumberText.count(check.problemCount, "problem") : "and \(rest) more"
                lines.append(String(repeating: " ", count: indent) + words)
            }
        }
        for place in verification.damage.prefix(Self.shownPlaces) { lines += place.lines(style) }
        if verification.damage.count > Self.shownPlaces {
            let others = verification.damage.count - Self.shownPlaces
            lines.append("        and \(NumberText.count(others, "more place", "more places")); --json has all")
        }
        let state = verification.isSound ? "sound" : "damaged"
        lines.append("\(library) is \(state). Checked in \(NumberText.duration(time)).")
        return lines
    }

    /// One damaged page is met by many records.
    private func distinct(_ items: [String]) -> [String] {
        var seen: Set<String> = []
        return items.filter { seen.insert($0).inserted }
    }
}

import BookDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an inspection found, for people and for programs: size, share, verdict, command.
struct InspectionReport {
    private let inspection: LibraryInspection
    private let books: BookCounts
    private let library: String
    private let showsTrees: Bool

    /// A purpose that bytes serve.
    private struct Part {
        let name: String
        let byteCount: Int
    }

    private static let barWidth = 24
    private static let width = 79
    /// As many as are shown to people; programs get all.
    private static let eventCount = 8

    /// - Throws: `LibraryError.damaged` when books cannot be counted.
    init(_ inspection: LibraryInspection, library: String, showsTrees: Bool) throws {
        self.showsTrees = showsTrees
        self.inspection = inspection
        books = try inspection.books
        self.library = library
    }

    private var opening: OpeningReport { inspection.opening }

    /// Everything on disk by purpose, the largest first.
    private var parts: [Part] {
        var parts = inspection.trees.map { Part(name: $0.name, byteCount: $0.pageByteCount) }
        parts.append(Part(name: "text blocks", byteCount: inspection.textByteCount))
        let known = parts.reduce(0) { $0 + $1.byteCount }
        parts.append(Part(name: "log", byteCount: inspection.logByteCount))
        parts.append(Part(name: "heads and padding", byteCount: max(0, inspection.snapshotByteCount - known)))
        parts.append(Part(name: "search file", byteCount: inspection.searchByteCount))
        let others =
            inspection.byteCount - inspection.logByteCount - inspection.snapshotByteCount - inspection.searchByteCount
        parts.append(Part(name: "other files", byteCount: others))
        return parts.filter { $0.byteCount > 0 }.sorted { ($1.byteCount, $0.name) < ($0.byteCount, $1.name) }
    }

    private enum Verdict: String {
        case damaged, compact, nothingFound
    }

    private var verdict: Verdict {
        if !damage.isEmpty { return .damaged }
        return inspection.isWorthCompacting ? .compact : .nothingFound
    }

    var isDamaged: Bool { verdict == .damaged }

    /// What opening and the heads of the files say, each once.
    private var damage: [String] {
        var findings = opening.damage.map { [$0.description] } ?? []
        findings += inspection.damage.filter { !findings.contains($0) }
        findings += opening.damagedTrees.map(\.damage.description).filter { !findings.contains($0) }
        if opening.fellBack { findings.append("A newer snapshot was unreadable; this is the one before it.") }
        return findings
    }

    private var next: String {
        switch verdict {
        case .damaged, .nothingFound: "bookdb verify \(word: library)"
        case .compact: "bookdb compact \(word: library)"
        }
    }
}

// MARK: - For people

extension InspectionReport {
    func lines(style: Style) -> [String] {
        var lines = heading(style) + [""]
        if hasBooks || inspection.kinds.isEmpty {
            lines += Paragraph.lines(counts.joined(separator: " · "))
            if !statuses.isEmpty { lines += Paragraph.lines(statuses.joined(separator: " · ")) }
            lines.append("")
        }
        lines += [title("WHERE THE BYTES WENT", NumberText.bytes(inspection.byteCount) + " on disk", style)]
        lines += partLines + cacheLines
        lines += ["", title("OPENING IT", NumberText.duration(openingTime) + " just now", style)]
        lines.append("  " + openingFacts.joined(separator: "     "))
        if !inspection.kinds.isEmpty { lines += [""] + kindLines(style) }
        if showsTrees { lines += [""] + treeLines(style) }
        if !inspection.history.isEmpty { lines += [""] + historyLines(style) }
        lines += [""] + readerLines + verdictLines(style)
        return lines
    }

    private func heading(_ style: Style) -> [String] {
        var fact = "format \(inspection.formatVersion) · commit \(NumberText.count(Int(inspection.commitNumber)))"
        if let date = inspection.lastCommit { fact += ", " + TimeText.ago(date, now: Date()) }
        let isLong = DisplayWidth.of(library) + DisplayWidth.of(fact) > Self.width - 2
        return isLong ? [style.bold(library), "  " + fact] : [title(library, fact, style)]
    }

    /// A title at the left margin and a fact at the right one.
    private func title(_ title: String, _ fact: String, _ style: Style) -> String {
        let gap = Self.width - DisplayWidth.of(title) - DisplayWidth.of(fact)
        return style.bold(title) + String(repeating: " ", count: max(2, gap)) + fact
    }

    private var hasBooks: Bool { books.works + books.editions + books.authors + books.entries > 0 }

    private var counts: [String] {
        [
            NumberText.count(books.works, "work"), NumberText.count(books.editions, "edition"),
            NumberText.count(books.authors, "author"),
            NumberText.count(books.entries, "entry", "entries"),
        ]
    }

    private var statuses: [String] {
        ReadingStatus.allCases.compactMap { status in
            let count = books.statuses[status]
            guard status != .none, count > 0 else { return nil }
            return "\(NumberText.count(count)) \(status.name)"
        }
    }

    private var partLines: [String] {
        var table = TextTable([.init(), .init(alignment: .right), .init(alignment: .right), .init()])
        let largest = parts.first?.byteCount ?? 1
        for part in parts {
            let bar = String(repeating: "█", count: part.byteCount * Self.barWidth / max(1, largest))
            let share = NumberText.percent(part.byteCount, of: inspection.byteCount)
            table.add([part.name, NumberText.bytes(part.byteCount), share, bar])
        }
        return table.lines(indent: 2)
    }

    private var cacheLines: [String] {
        guard inspection.cacheFileCount > 0 else { return [] }
        let blobs = NumberText.count(inspection.cacheFileCount, "blob")
        let bytes = NumberText.bytes(inspection.cacheByteCount)
        return ["  beside it, in cache: \(blobs), \(bytes), no part of the library"]
    }

    private var openingTime: Duration {
        .nanoseconds(opening.mapNanoseconds + opening.replayNanoseconds)
    }

    private var openingFacts: [String] {
        var facts = ["map  \(NumberText.duration(.nanoseconds(opening.mapNanoseconds)))"]
        if opening.replayedCommits > 0 {
            let commits = NumberText.count(opening.replayedCommits, "commit")
            let bytes = NumberText.bytes(opening.logByteCount)
            facts.append("replay \(commits), \(bytes)  \(NumberText.duration(.nanoseconds(opening.replayNanoseconds)))")
        }
        return facts
    }

    /// What the app's own records are called, and the orders that they are kept in.
    private func kindLines(_ style: Style) -> [String] {
        var table = TextTable([
            .init(title: "KINDS"), .init(title: "records", alignment: .right), .init(title: "bytes", alignment: .right),
            .init(leastWidth: 24),
        ])
        for kind in inspection.kinds {
            let fields = kind.kind.fields.map(\.name).joined(separator: ", ")
            table.add([
                "  " + kind.kind.name, NumberText.count(kind.kind.count), Self.bytes(kind.byteCount, kind.kind.count),
                fields,
            ])
            for (order, byteCount) in zip(kind.kind.orders, kind.orderByteCounts) {
                var words = "by \(order.words)"
                if !order.sums.isEmpty { words += "; sums of \(order.sums.joined(separator: ", "))" }
                if !order.isWhole { words += "; in the making" }
                table.add([
                    "    " + order.name, NumberText.count(order.count), Self.bytes(byteCount, order.count), words,
                ])
            }
        }
        return table.lines(heading: style.bold)
    }

    private static func bytes(_ byteCount: Int, _ entryCount: Int) -> String {
        byteCount > 0 ? NumberText.bytes(byteCount) : entryCount > 0 ? "in the log" : "–"
    }

    private func treeLines(_ style: Style) -> [String] {
        var table = TextTable([
            .init(title: "TREES"), .init(title: "entries", alignment: .right), .init(title: "depth", alignment: .right),
            .init(title: "fill", alignment: .right), .init(title: "bytes", alignment: .right),
        ])
        for tree in inspection.trees {
            let isInFile = tree.depth > 0
            table.add([
                "  " + tree.name, NumberText.count(tree.entryCount), isInFile ? "\(tree.depth)" : "–",
                isInFile ? NumberText.percent(tree.fill) : "–",
                isInFile ? NumberText.bytes(tree.pageByteCount) : tree.entryCount > 0 ? "in the log" : "–",
            ])
        }
        return table.lines(heading: style.bold)
    }

    private func historyLines(_ style: Style) -> [String] {
        var table = TextTable([
            .init(title: "HISTORY"), .init(title: "when"), .init(title: "commit", alignment: .right),
            .init(title: "process", alignment: .right), .init(),
        ])
        let now = Date()
        for event in inspection.history.suffix(Self.eventCount).reversed() {
            table.add([
                "  " + event.kind, TimeText.ago(event.date, now: now),
                NumberText.count(Int(clamping: event.commitNumber)),
                "\(event.processIdentifier)", remark(on: event),
            ])
        }
        return table.lines(heading: style.bold)
    }

    private func remark(on event: LibraryInspection.Event) -> String {
        switch event.kind {
        case "cut": "\(NumberText.bytes(event.byteCount)) of an unfinished write"
        case "rescued": "the log could not be written"
        default: ""
        }
    }

    private func verdictLines(_ style: Style) -> [String] {
        switch verdict {
        case .damaged:
            return [style.red("Part of it could not be read.")] + damage.flatMap { Paragraph.lines($0) } + ["→ \(next)"]
        case .compact:
            let bytes = NumberText.bytes(inspection.logByteCount)
            return [Self.checked, "→ \(next)        folds \(bytes) of log into the snapshot, for a quicker opening"]
        case .nothingFound:
            return [Self.checked, "→ \(next)        reads and checks every byte"]
        }
    }

    /// An inspection must not be taken for a verification.
    private static let checked = "Heads are sound and the log was replayed; pages were not read."

    private var readerLines: [String] {
        guard inspection.readers == "everyone" else { return [] }
        return ["Its permissions let everybody on this machine read it.", "→ \(closing)        keeps them out", ""]
    }

    /// Takes the permissions away that let others read it.
    private var closing: String {
        "chmod -R \(inspection.isSharedWithGroup ? "o-rwx" : "go-rwx") \(word: library)"
    }
}

// MARK: - For programs

extension InspectionReport {
    /// `bookdb.inspect/1`
    var document: String {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.inspect/1")
            json.member("library", library)
            json.member("format", inspection.formatVersion)
            json.member("commit", inspection.commitNumber)
            json.optional("lastCommit", inspection.lastCommit.map(TimeText.text))
            json.object("counts") { json in
                json.member("works", books.works)
                json.member("editions", books.editions)
                json.member("authors", books.authors)
                json.member("entries", books.entries)
            }
            json.object("statuses") { json in
                for status in ReadingStatus.allCases { json.member(status.name, books.statuses[status]) }
            }
            json.member("bytes", inspection.byteCount)
            json.array("files") { json in
                for file in inspection.files {
                    json.object { json in
                        json.member("name", file.name)
                        json.member("role", file.role)
                        json.member("bytes", file.byteCount)
                    }
                }
            }
            json.object("cache") { json in
                json.member("files", inspection.cacheFileCount)
                json.member("bytes", inspection.cacheByteCount)
            }
            json.array("parts") { json in
                for part in parts {
                    json.object { json in
                        json.member("name", part.name)
                        json.member("bytes", part.byteCount)
                    }
                }
            }
            json.array("trees") { json in
                for tree in inspection.trees {
                    json.object { json in
                        json.member("name", tree.name)
                        json.member("entries", tree.entryCount)
                        json.member("depth", tree.depth)
                        json.member("bytes", tree.pageByteCount)
                        json.member("fill", (tree.fill * 1000).rounded() / 1000)
                    }
                }
            }
            json.object("opening") { json in
                json.member("mapMicroseconds", opening.mapNanoseconds / 1000)
                json.member("replayMicroseconds", opening.replayNanoseconds / 1000)
                json.member("replayedCommits", opening.replayedCommits)
                json.member("logBytes", opening.logByteCount)
                json.member("tornBytes", opening.tornByteCount)
                json.member("setAsideBytes", opening.setAsideByteCount)
            }
            json.array("history") { json in
                for event in inspection.history {
                    json.object { json in
                        json.member("kind", event.kind)
                        json.member("date", TimeText.text(event.date))
                        json.member("commit", event.commitNumber)
                        json.member("bytes", event.byteCount)
                        json.member("process", Int(event.processIdentifier))
                    }
                }
            }
            json.array("kinds") { json in
                for kind in inspection.kinds { json.object { Self.write(kind, to: &$0) } }
            }
            json.optional("readers", inspection.readers)
            if inspection.readers == "everyone" { json.member("permissions", closing) }
            json.array("checked") { json in ["heads", "log"].forEach { json.element($0) } }
            json.array("damage") { json in damage.forEach { json.element($0) } }
            json.member("verdict", verdict.rawValue)
            json.member("next", next)
        }
        return json.text
    }

    private static func write(_ kind: LibraryInspection.Kind, to json: inout JSONWriter) {
        json.member("name", kind.kind.name)
        json.member("records", kind.kind.count)
        json.member("bytes", kind.byteCount)
        json.array("fields") { json in
            for field in kind.kind.fields {
                json.object { json in
                    json.member("number", field.number)
                    json.member("name", field.name)
                    json.member("type", field.type)
                }
            }
        }
        json.array("orders") { json in
            for (order, byteCount) in zip(kind.kind.orders, kind.orderByteCounts) {
                json.object { json in
                    json.member("name", order.name)
                    json.member("by", order.words)
                    json.array("sums") { json in order.sums.forEach { json.element($0) } }
                    json.array("facets") { json in order.facets.forEach { json.element($0) } }
                    json.member("entries", order.count)
                    json.member("bytes", byteCount)
                    json.member("whole", order.isWhole)
                }
            }
        }
        json.array("links") { json in
            for link in kind.kind.links {
                json.object { json in
                    json.member("field", link.field)
                    json.member("to", link.target)
                    json.member("onDelete", link.onDelete)
                }
            }
        }
    }
}

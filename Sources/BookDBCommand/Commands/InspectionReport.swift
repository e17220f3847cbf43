import BookDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an inspection found, for people and for programs: size, share, verdict, command.
struct InspectionReport {
    private let inspection: LibraryInspection
    private let library: String

    /// A purpose that bytes serve.
    private struct Part {
        let name: String
        let byteCount: Int
    }

    private static let barWidth = 24
    private static let width = 79

    init(_ inspection: LibraryInspection, library: String) {
        self.inspection = inspection
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
        case damaged, compact, good
    }

    private var verdict: Verdict {
        if opening.damage != nil || opening.fellBack || opening.usedSpareSuperblock { return .damaged }
        return inspection.isWorthCompacting ? .compact : .good
    }

    private var next: String {
        switch verdict {
        case .damaged, .good: "bookdb verify \(library)"
        case .compact: "bookdb compact \(library)"
        }
    }
}

// MARK: - For people

extension InspectionReport {
    func lines(style: Style) -> [String] {
        var lines = heading(style) + [""]
        lines += Paragraph.lines(counts.joined(separator: " · "))
        if !statuses.isEmpty { lines += Paragraph.lines(statuses.joined(separator: " · ")) }
        lines += ["", title("WHERE THE BYTES WENT", Figures.bytes(inspection.byteCount) + " on disk", style)]
        lines += partLines
        lines += ["", title("OPENING IT", Figures.duration(openingTime) + " just now", style)]
        lines.append("  " + openingFacts.joined(separator: "     "))
        lines += [""] + treeLines(style)
        lines += [""] + verdictLines(style)
        return lines
    }

    private func heading(_ style: Style) -> [String] {
        var fact = "format \(inspection.formatVersion) · commit \(Figures.count(Int(inspection.commitNumber)))"
        if let date = inspection.lastCommit { fact += ", " + Moments.ago(date, now: Date()) }
        let isLong = DisplayWidth.of(library) + DisplayWidth.of(fact) > Self.width - 2
        return isLong ? [style.bold(library), "  " + fact] : [title(library, fact, style)]
    }

    /// A title at the left margin and a fact at the right one.
    private func title(_ title: String, _ fact: String, _ style: Style) -> String {
        let gap = Self.width - DisplayWidth.of(title) - DisplayWidth.of(fact)
        return style.bold(title) + String(repeating: " ", count: max(2, gap)) + fact
    }

    private var counts: [String] {
        [
            Figures.count(inspection.workCount, "work"), Figures.count(inspection.editionCount, "edition"),
            Figures.count(inspection.authorCount, "author"),
            Figures.count(inspection.entryCount, "entry", "entries"),
        ]
    }

    private var statuses: [String] {
        ReadingStatus.allCases.compactMap { status in
            let count = inspection.statusCounts[status]
            guard status != .none, count > 0 else { return nil }
            return "\(Figures.count(count)) \(status.name)"
        }
    }

    private var partLines: [String] {
        var table = TextTable([.init(), .init(alignment: .right), .init(alignment: .right), .init()])
        let largest = parts.first?.byteCount ?? 1
        for part in parts {
            let bar = String(repeating: "█", count: part.byteCount * Self.barWidth / max(1, largest))
            let share = Figures.percent(part.byteCount, of: inspection.byteCount)
            table.add([part.name, Figures.bytes(part.byteCount), share, bar])
        }
        return table.lines(indent: 2)
    }

    private var openingTime: Duration {
        .nanoseconds(opening.mapNanoseconds + opening.replayNanoseconds)
    }

    private var openingFacts: [String] {
        var facts = ["map  \(Figures.duration(.nanoseconds(opening.mapNanoseconds)))"]
        if opening.replayedCommits > 0 {
            let commits = Figures.count(opening.replayedCommits, "commit")
            let bytes = Figures.bytes(opening.logByteCount)
            facts.append("replay \(commits), \(bytes)  \(Figures.duration(.nanoseconds(opening.replayNanoseconds)))")
        }
        return facts
    }

    private func treeLines(_ style: Style) -> [String] {
        var table = TextTable([
            .init(title: "TREES"), .init(title: "entries", alignment: .right), .init(title: "depth", alignment: .right),
            .init(title: "fill", alignment: .right), .init(title: "bytes", alignment: .right),
        ])
        for tree in inspection.trees {
            let isInFile = tree.depth > 0
            table.add([
                "  " + tree.name, Figures.count(tree.entryCount), isInFile ? "\(tree.depth)" : "–",
                isInFile ? "\(Int((tree.fill * 100).rounded())) %" : "–",
                isInFile ? Figures.bytes(tree.pageByteCount) : tree.entryCount > 0 ? "in the log" : "–",
            ])
        }
        return table.lines(heading: style.bold)
    }

    private func verdictLines(_ style: Style) -> [String] {
        switch verdict {
        case .damaged:
            var lines = [style.red("Part of it could not be read.")]
            if let damage = opening.damage { lines += Paragraph.lines("\(damage)") }
            if opening.fellBack { lines.append("  A newer snapshot was unreadable; this is the one before it.") }
            if opening.usedSpareSuperblock { lines.append("  The first head of the snapshot is bad; its copy served.") }
            return lines + ["→ \(next)"]
        case .compact:
            let bytes = Figures.bytes(inspection.logByteCount)
            return ["→ \(next)        folds \(bytes) of log into the snapshot, for a quicker opening"]
        case .good:
            return ["In good shape: nothing to do.", "→ \(next)        checks every byte"]
        }
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
            json.optional("lastCommit", inspection.lastCommit.map(Moments.text))
            json.object("counts") { json in
                json.member("works", inspection.workCount)
                json.member("editions", inspection.editionCount)
                json.member("authors", inspection.authorCount)
                json.member("entries", inspection.entryCount)
            }
            json.object("statuses") { json in
                for status in ReadingStatus.allCases { json.member(status.name, inspection.statusCounts[status]) }
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
            json.member("verdict", verdict.rawValue)
            json.member("next", next)
        }
        return json.text
    }
}

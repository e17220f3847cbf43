import TestSupport
import Testing

@testable import Filing

/// `Formats/titles.tsv`: real titles in filing order, each with its language and what it is filed as.
///
/// `BOOKDB_WRITE_GOLDEN=1 swift test --filter golden` files the titles of the list anew and writes it in the new order; a
/// title is added by a line anywhere in it.
@Suite struct GoldenTitleTests {
    private static let path = "Formats/titles.tsv"

    private struct Line {
        let language: String
        let title: String
        let filedAs: String

        var key: [UInt8] {
            TitleKey.make(title: title, sortTitle: nil, language: language, filing: .standard)
        }

        init(_ text: Substring) {
            let fields = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            language = fields[0]
            title = fields.count > 1 ? fields[1] : ""
            filedAs = fields.count > 2 ? fields[2] : ""
        }
    }

    private let lines: [Line]

    init() throws {
        let bytes = try #require(RepositoryFiles.bytes(Self.path))
        lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { Line($0) }
    }

    @Test func `the golden titles are filed as the list says, in its order`() {
        let keyed = lines.map { (line: $0, key: $0.key) }.sorted { left, right in
            left.key == right.key
                ? Array(left.line.title.utf8).lexicographicallyPrecedes(Array(right.line.title.utf8))
                : left.key.lexicographicallyPrecedes(right.key)
        }
        let text = keyed.map { line, key in
            "\(line.language)\t\(line.title)\t\(FilingKeyText.text(of: key, tailoring: .standard))\n"
        }.joined()
        #expect(RepositoryFiles.isGolden(Array(text.utf8), Self.path))
        #expect(lines.count >= 2_000 && Set(lines.map(\.language)).count >= 40)
    }

    @Test func `what a golden title is filed as files the same`() {
        for line in lines {
            #expect(
                TitleKey.make(title: "", sortTitle: line.filedAs, language: nil, filing: .standard) == line.key
                    || line.key.first == TitleKey.punctuationLead, "\(line.title)")
        }
    }

    @Test func `the examples of the documentation are among the golden titles`() throws {
        let page = String(decoding: try #require(RepositoryFiles.bytes("docs/TITLES.md")), as: UTF8.self)
        let known = Set(lines.map { "| \($0.title) | \($0.language) | \($0.filedAs) |" })
        var isExample = false
        var count = 0
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("| title | language |") {
                isExample = true
            } else if !line.hasPrefix("|") {
                isExample = false
            } else if isExample, !line.hasPrefix("|---") {
                #expect(known.contains(String(line)), "\(line)")
                count += 1
            }
        }
        #expect(count >= 30)
    }

    @Test(arguments: FilingTailoring.allCases)
    func `the sections of the golden titles follow each other and are found by their bounds`(filing: FilingTailoring) {
        let keys = lines.map {
            TitleKey.make(title: $0.title, sortTitle: nil, language: $0.language, filing: filing)
        }.sorted { $0.lexicographicallyPrecedes($1) }
        expectSections(of: keys, filing)
    }
}

/// That a list in filing order is cut into sections that lie behind each other, each behind the bound of the one before.
func expectSections(of keys: [[UInt8]], _ filing: FilingTailoring) {
    var seen: Set<String> = []
    var last: FilingSection?
    for key in keys {
        let section = FilingSection(key: key, tailoring: filing)
        #expect(key.lexicographicallyPrecedes(section.upperBound), "\(key)")
        if let last, section.label == last.label {
            #expect(section.upperBound == last.upperBound, "\(key)")
        } else {
            #expect(seen.insert(section.label).inserted, "\(section.label) comes twice")
            if let last { #expect(!key.lexicographicallyPrecedes(last.upperBound), "\(key)") }
        }
        last = section
    }
}

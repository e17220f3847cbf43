import StorageEngine
import Testing

/// A target is one module, so the compiler does not keep its folders in order. This does.
@Suite struct LayerOrderTests {
    /// The folders of a target, the lowest first: a folder may name the types of those before it only. `.` is what lies beside them.
    struct Target: CustomTestStringConvertible {
        let name: String
        let layers: [String]
        var testDescription: String { name }
    }

    static let targets = [
        Target(
            name: "StorageEngine",
            layers: [
                "Bytes", "Files", "Cache", "Sorting", "Log", "Pages", "Trees", "Snapshot", "Staging", "Versions",
                "Settings",
                "Transactions", "Opening", "Writing", "Compacting", "Database", "Backup", "Salvage",
                "Dump", "Inspection", "Verification",
            ]),
        Target(
            name: "RecordStore",
            layers: [
                "Values", "Errors", "Cache", "Encoding", "Trees", "Declarations", "Undo", "Commits", "Events", "Schema",
                "Diagnostics", "Launch", "Matching", "RowSearch",
                "Findings", "Transaction", "Store", "Writing", "Lists", "Search", "Loading", "Export", "Kinds",
                "Comparison", "Verification", "Dump", "Log", "Repair", "Backup", "Live",
            ]),
        Target(
            name: "BookDB",
            layers: [
                "Values", "Records", "Trees", "Orders", "Commits", "Lists", "Search", "Transaction", "Loading",
                "Export",
                "Verification", "Dump", "Repair", "Store", "Sample", "Live",
            ]),
        Target(name: "BookImport", layers: ["CSV", "Dialects", "Errors", "Files", "Rows", "Import", "."]),
        Target(name: "BookDBCommand", layers: ["Failures", "Terminal", "Text", "Reports", "Commands", "Help", "."]),
    ]

    @Test(arguments: targets) func `no folder names a type of a later one`(target: Target) throws {
        let sources = try Source.all(ofTarget: target.name)
        #expect(Set(sources.map(\.folder)) == Set(target.layers), "every folder has its place")
        let layers = Dictionary(uniqueKeysWithValues: target.layers.enumerated().map { ($1, $0) })
        var owners: [Substring: String] = [:]
        for source in sources {
            for type in source.types { owners[type] = source.folder }
        }
        #expect(owners.count > 20, "the types were found")
        for source in sources {
            for word in source.words {
                guard let owner = owners[word], let layer = layers[owner], let own = layers[source.folder] else {
                    continue
                }
                if layer > own { Issue.record("\(source.folder)/\(source.file) names \(word) of \(owner)") }
            }
        }
    }
}

extension LayerOrderTests {
    /// What only BookDB knows. A title is the first text of any row.
    private static let booksOwn: Set<String> = [
        "work", "works", "book", "books", "edition", "editions", "author", "authors", "isbn", "isbns", "shelf",
    ]

    @Test func `the code of RecordStore names nothing of books`() throws {
        for source in try Source.all(ofTarget: "RecordStore") {
            for word in source.words {
                let parts = word.split(whereSeparator: { $0 == "_" }).flatMap(Self.parts)
                for part in parts where Self.booksOwn.contains(part) {
                    Issue.record("\(source.folder)/\(source.file) names \(word)")
                }
            }
        }
    }

    /// Of `numberPositions`, `number` and `positions`.
    private static func parts(_ word: Substring) -> [String] {
        var parts: [String] = []
        for character in word {
            if parts.isEmpty || character.isUppercase { parts.append("") }
            parts[parts.count - 1] += character.lowercased()
        }
        return parts
    }
}

/// What a file of Swift declares and names, read without a parser.
private struct Source {
    let folder: String
    let file: String
    /// Declared for others to name.
    private(set) var types: [Substring] = []
    private(set) var words: Set<Substring> = []

    /// Those of all folders below `Sources/NAME`.
    static func all(ofTarget name: String) throws -> [Source] {
        let root = repositoryRoot + "/Sources/" + name
        return try swiftFiles(below: root).map { path in
            let place = path.dropFirst(root.utf8.count + 1).split(separator: "/")
            let text = String(decoding: try PosixFileSystem().bytes(of: path), as: UTF8.self)
            return Source(
                folder: place.count == 1 ? "." : place.dropLast().joined(separator: "/"),
                file: String(place[place.count - 1]), text)
        }
    }

    private init(folder: String, file: String, _ text: String) {
        self.folder = folder
        self.file = file
        var parameters: Set<Substring> = []
        for line in text.split(separator: "\n") {
            let code = Self.code(of: line)
            let words = Self.words(of: code)
            self.words.formUnion(words)
            guard let keyword = words.firstIndex(where: Self.keywords.contains) else { continue }
            if !line.hasPrefix(" "), keyword + 1 < words.count, Self.typeKeywords.contains(words[keyword]),
                !words.contains("fileprivate"), !words.contains("private")
            {
                types.append(words[keyword + 1])
            }
            parameters.formUnion(Self.parameters(of: code))
        }
        // `ID<Record>` names no type.
        words.subtract(parameters)
    }

    private static let typeKeywords: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
    private static let keywords = typeKeywords.union(["func", "init", "subscript"])

    private static func words(of code: Substring) -> [Substring] {
        code.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    }

    /// A line without its texts and its comment.
    private static func code(of line: Substring) -> Substring {
        guard line.contains("\"") || line.contains("//") else { return line }
        var code = ""
        var isText = false
        var last: Character = " "
        for character in line {
            if character == "\"", last != "\\" { isText.toggle() }
            if character == "/", last == "/", !isText { break }
            if !isText { code.append(character) }
            last = character
        }
        return code[...]
    }

    /// Of `func sum<Field: Summable, each Other>(`, `Field` and `Other`.
    private static func parameters(of code: Substring) -> [Substring] {
        guard let start = code.firstIndex(of: "<"), let end = code[start...].firstIndex(of: ">") else { return [] }
        return code[start..<end].split(separator: ",").compactMap { parameter in
            words(of: parameter).first { $0 != "each" }
        }
    }
}

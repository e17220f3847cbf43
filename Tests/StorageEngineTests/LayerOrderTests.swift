import StorageEngine
import Testing

/// The engine is one module, so the compiler does not keep its folders in order. This does.
@Suite struct LayerOrderTests {
    /// A folder may name the types of those before it only.
    static let layers = [
        "Bytes", "Files", "Sorting", "Log", "Pages", "Trees", "Snapshot", "Versions", "Database", "Inspection",
    ]

    @Test func `no folder names a type of a later one`() throws {
        let fileSystem = PosixFileSystem()
        let root = repositoryRoot + "/Sources/StorageEngine/"
        var owners: [(name: String, layer: Int)] = []
        var sources: [(path: String, layer: Int, words: Set<Substring>)] = []
        for (layer, folder) in Self.layers.enumerated() {
            for file in try fileSystem.names(inDirectory: root + folder) where file.hasSuffix(".swift") {
                let text = String(decoding: try fileSystem.bytes(of: root + folder + "/" + file), as: UTF8.self)
                let code = text.split(separator: "\n").map { line in
                    line.range(of: "//").map { line[..<$0.lowerBound] } ?? line
                }
                for line in code {
                    let words = line.split(whereSeparator: { !$0.isLetter && !$0.isNumber })
                    for kind in ["struct", "class", "enum", "protocol", "actor"] {
                        if !line.hasPrefix(" "), let index = words.firstIndex(of: Substring(kind)),
                            index + 1 < words.count
                        {
                            owners.append((String(words[index + 1]), layer))
                        }
                    }
                }
                let words = Set(code.flatMap { $0.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) })
                sources.append((folder + "/" + file, layer, words))
            }
        }
        #expect(owners.count > 50, "the types were found")
        for source in sources {
            for owner in owners where owner.layer > source.layer && source.words.contains(Substring(owner.name)) {
                Issue.record("\(source.path) names \(owner.name) of \(Self.layers[owner.layer])")
            }
        }
    }
}

extension Substring {
    fileprivate func range(of text: String) -> Range<Index>? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(text) { return index..<self.index(index, offsetBy: text.count) }
            index = self.index(after: index)
        }
        return nil
    }
}

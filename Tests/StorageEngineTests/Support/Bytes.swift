import StorageEngine

let numbers = TreeNumber(1)
let numberTrees = [TreeDeclaration(numbers, "numbers", facetCount: 2)]

extension StorageError {
    var damage: Damage? {
        if case .damaged(let damage) = self { damage } else { nil }
    }
}

extension Database {
    /// Puts `range`, each number under its own key, in one commit.
    func put(_ range: Range<Int>, _ durability: Durability = .flushed, value: String = "value") async throws {
        try await write(durability) { transaction in
            for number in range {
                try transaction.put(
                    Array("\(value) \(number)".utf8), forKey: UInt64(number),
                    facets: FacetSet(rawValue: UInt16(1 << (number % 2))), in: numbers)
            }
        }
    }
}

extension FileSystem {
    func bytes(of path: String) throws -> [UInt8] {
        let file = try openFile(path, .reading)
        defer { file.close() }
        let count = try file.byteCount()
        var bytes = [UInt8](repeating: 0, count: count)
        _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return bytes
    }

    func replace(_ path: String, with bytes: [UInt8]) throws {
        let file = try openFile(path, .creating)
        defer { file.close() }
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    }

    /// What a machine that is cut off now would find, had every write reached the medium.
    func copy() throws -> MemoryFileSystem {
        let copy = MemoryFileSystem()
        copy.createDirectory("A")
        for path in try files("", in: "A") where path != "A/lock" { try copy.replace(path, with: bytes(of: path)) }
        return copy
    }

    /// The store's files of a kind, by name.
    func files(_ prefix: String, in directory: String) throws -> [String] {
        try names(inDirectory: directory).filter { $0.hasPrefix(prefix) }.sorted().map { directory + "/" + $0 }
    }
}

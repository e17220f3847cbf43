import StorageEngine
import TestSupport
import Testing

/// A store made the same way every time: the clock stands at 0, the store identifier is given, and every commit is waited
/// for.
struct GoldenStore: Sendable, CustomTestStringConvertible {
    let name: String
    /// Sixteen bytes.
    let identifier: String
    let build: @Sendable (GoldenStore, MemoryFileSystem) async throws -> Void

    static let all = [small, branches, empty, symbols]

    var directory: String { "Formats/golden/" + name }
    var testDescription: String { name }

    func make(_ fileSystem: MemoryFileSystem) async throws { try await build(self, fileSystem) }

    private func open(_ trees: [TreeDeclaration], _ fileSystem: MemoryFileSystem) throws -> Database {
        let options = Options(compaction: .manual, storeIdentifier: Array(identifier.utf8))
        return try Database.open(at: directory, trees: trees, options: options, fileSystem: fileSystem)
    }

    /// Created and closed: an empty snapshot, and the head of a log.
    static let empty = GoldenStore(name: "empty", identifier: "golden store 003") { store, fileSystem in
        let trees = [
            TreeDeclaration(TreeNumber(1), "titles", facetCount: 2),
            TreeDeclaration(TreeNumber(63), "texts", placement: .cold),
        ]
        try await store.open(trees, fileSystem).close()
    }

    /// Records whose values are written in symbols; others that are not.
    static let symbols = GoldenStore(name: "symbols", identifier: "golden store 005") { store, fileSystem in
        let trees = [
            TreeDeclaration(TreeNumber(7), "records", facetCount: 1), TreeDeclaration(TreeNumber(8), "numbers"),
        ]
        let database = try store.open(trees, fileSystem)
        try await database.write { transaction in
            for number in 0..<300 {
                var value = Array(BranchesContent.sentences(6, seed: UInt64(number)).utf8)
                switch number {
                case 7: value = []
                case 8: value = [UInt8](repeating: 0x2E, count: 1024)
                // Bytes that no sentence has.
                case 9: value = (0...255).map { UInt8($0) }
                default: break
                }
                try transaction.put(
                    value, forKey: UInt64(number), facets: number % 2 == 0 ? FacetSet(Facet(0)) : [], in: TreeNumber(7))
            }
            for number in 0..<20 { try transaction.put([UInt8(number), 1], forKey: UInt64(number), in: TreeNumber(8)) }
        }
        try await database.compact()
        try await database.write { transaction in
            try transaction.put(Array("written behind the snapshot".utf8), forKey: 3, in: TreeNumber(7))
        }
        try await database.close()
    }

    /// Three commits, a compaction, one more commit.
    static let small = GoldenStore(name: "small", identifier: "golden store 001") { store, fileSystem in
        let trees = [
            TreeDeclaration(TreeNumber(1), "titles", facetCount: 2),
            TreeDeclaration(TreeNumber(2), "texts", placement: .cold),
        ]
        let database = try store.open(trees, fileSystem)
        try await database.write { transaction in
            for (number, title) in ["emma", "persuasion", "mansfield park", "northanger abbey"].enumerated() {
                try transaction.put(
                    Array("row \(number)".utf8), forKey: Array(title.utf8),
                    facets: FacetSet(rawValue: UInt16(number % 4)), in: TreeNumber(1))
            }
        }
        try await database.write { transaction in
            let text = String(repeating: "It is a truth universally acknowledged. ", count: 20)
            try transaction.put(Array(text.utf8), forKey: 1, in: TreeNumber(2))
            try transaction.put(Array("short".utf8), forKey: 2, in: TreeNumber(2))
        }
        try await database.write { try $0.remove(Array("persuasion".utf8), in: TreeNumber(1)) }
        try await database.compact()
        try await database.write { transaction in
            try transaction.put(
                Array("row 9".utf8), forKey: Array("pride and prejudice".utf8), facets: FacetSet(Facet(1)),
                in: TreeNumber(1))
        }
        try await database.close()
    }

    /// Three levels with facets, keys that share long beginnings, several cold blocks, values of every placement; a log of
    /// two segments with compressed frames, removals and a tree that was declared late.
    static let branches = GoldenStore(name: "branches", identifier: "golden store 002") { store, fileSystem in
        let content = BranchesContent()
        let database = try store.open(BranchesContent.trees, fileSystem)
        try await database.write { try content.writeSnapshot(&$0) }
        try await database.compact()
        try await database.write { try content.writeLog(&$0) }
        // A compaction that is stopped leaves the segment it began.
        let stopped = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await database.compact()
        }
        _ = await stopped.result
        try await database.write { try $0.remove(BranchesContent.chapter(3, 4), in: BranchesContent.chapters) }
        try await database.close()
        let again = try store.open(BranchesContent.trees + [BranchesContent.late], fileSystem)
        try await again.write { transaction in
            try transaction.put(Array("declared in the log".utf8), forKey: [0], in: BranchesContent.late.number)
        }
        try await again.close()
    }
}

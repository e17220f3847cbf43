import Testing

@testable import StorageEngine

/// Trees that no store can have are refused where they are declared, also by a store that is there already. The opening went through, and each write failed.
@Suite struct DeclarationTests {
    private static let impossible: [([TreeDeclaration], String)] = [
        (
            [TreeDeclaration(TreeNumber(900), "a"), TreeDeclaration(TreeNumber(900), "b")],
            "Two trees are declared under one number. Give each its own."
        ),
        ([TreeDeclaration(TreeNumber(900), "a", facetCount: 99)], "facets"),
    ]

    @Test(arguments: impossible.indices, [false, true])
    func `trees that cannot be are refused by the opening`(index: Int, isThere: Bool) async throws {
        let (trees, words) = Self.impossible[index]
        let disk = MemoryFileSystem()
        if isThere {
            try await Database.open(at: "A", trees: numberTrees, fileSystem: disk).close()
        }
        let error = #expect(throws: StorageError.self) {
            try Database.open(at: "A", trees: numberTrees + trees, fileSystem: disk)
        }
        #expect("\(try #require(error))".contains(words), "\(error.debugDescription)")
        guard isThere else { return }
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: disk)
        try await database.put(0..<3)
        try await database.close()
    }

    /// A log repeats a declaration word for word or not at all.
    @Test func `two spellings of a name are two names, also where they look alike`() async throws {
        let disk = MemoryFileSystem()
        let (one, other) = ("caf\u{E9}", "cafe\u{301}")
        try #require(one == other)
        let tree = TreeNumber(900)
        let database = try Database.open(at: "A", trees: [TreeDeclaration(tree, one)], fileSystem: disk)
        try await database.write { try $0.put([1], forKey: 1, in: tree) }
        try await database.close()
        #expect(throws: StorageError.self) {
            try Database.open(at: "A", trees: [TreeDeclaration(tree, other)], fileSystem: disk)
        }
        try await Database.open(at: "A", trees: [TreeDeclaration(tree, one)], fileSystem: disk).close()
    }

    @Test func `more trees than a store has are refused by the opening`() async throws {
        let disk = MemoryFileSystem()
        try await Database.open(at: "A", trees: numberTrees, fileSystem: disk).close()
        let many = (0..<Limits.treeCount).map { TreeDeclaration(TreeNumber(UInt32(10_000 + $0)), "tree \($0)") }
        let error = #expect(throws: StorageError.self) {
            try Database.open(at: "A", trees: numberTrees + many, fileSystem: disk)
        }
        #expect("\(try #require(error))".contains("at most \(Limits.treeCount) trees"))
    }
}

import StorageEngine
import Testing

/// Each of these failed once.
@Suite struct RegressionTests {
    /// A root that the running commit had made was freed by its own split, and its level read afterwards. The freed memory
    /// was mostly still intact, so this showed in one of four imports of ten thousand works, as a page of level 20,729.
    /// Under the address sanitizer it shows every time.
    @Test func `a tree that grows several levels within one commit keeps its levels`() async throws {
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: MemoryFileSystem())
        try await database.write(.memory) { transaction in
            for number in 0..<30_000 {
                try transaction.put(
                    [UInt8](repeating: 7, count: 60), forKey: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, in: numbers)
            }
        }
        #expect(database.version.invariantFindings() == [])
        try await database.close()
    }
}

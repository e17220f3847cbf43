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

    /// A power cut tore the last write within the zeros that pad a frame. The frame was whole and was replayed, but the
    /// log went on at the torn end instead of the next multiple of eight, where no reader looks: the next commit, flushed
    /// and acknowledged, was gone after another opening. Found by the crash explorer.
    @Test func `a log cut within a frame's padding goes on where the next frame belongs`() async throws {
        let (fileSystem, _) = try await LogRecoveryTests.crashedStore()
        let bytes = try fileSystem.bytes(of: LogRecoveryTests.log)
        let end = LogRecoveryTests.end(of: bytes)
        let lastByte = try #require(bytes.lastIndex { $0 != 0 })
        try #require(lastByte + 1 < end, "the last frame has padding")
        for cut in lastByte + 1..<end {
            try fileSystem.replace(LogRecoveryTests.log, with: Array(bytes[..<cut]))
            let database = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
            try await database.put(10..<11)
            try await database.close()
            let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
            #expect(try reopened.version.count(in: numbers) == 11)
            try await reopened.close()
        }
    }
}

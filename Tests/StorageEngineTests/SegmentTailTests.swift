import Testing

@testable import StorageEngine

/// How a process goes along with a log that others write to.
@Suite struct SegmentTailTests {
    @Test(arguments: [false, true])
    func `frames that nobody has vouched for are kept by who may write them again, and by no other`(isWriter: Bool)
        async throws
    {
        let disk = MemoryFileSystem()
        let options = Options.patient()
        let database = try Database.open(at: "A", trees: numberTrees, options: options, fileSystem: disk)
        let path = try #require(try disk.files("log-", in: "A").last)
        var reader = try LogReader(try disk.openFile(path, .reading))
        var tail = SegmentTail(
            starting: try reader.header(), file: try disk.openFile(path, .reading), isWriter: isWriter)
        for number in 0..<3 { try await database.put(number..<number + 1, .memory) }
        var commits: [UInt64] = []
        while let commit = try tail.next(limit: nil) { commits.append(commit.number) }
        #expect(commits == [1, 2, 3])
        #expect(tail.hasUnproved == isWriter)
        try await database.close()
    }
}

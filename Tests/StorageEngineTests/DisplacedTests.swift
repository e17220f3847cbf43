import StorageEngine
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The directory goes away under an open store. Names lead somewhere else from then on.
@Suite struct DisplacedTests {
    /// A compaction of the old store wrote its snapshot and its log over those of the new one, and removed the rest.
    @Test func `a store that was moved away does not write into the one that took its place`() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/A"
            let database = try Database.open(at: path, trees: numberTrees, options: Options(compaction: .manual))
            try await database.put(0..<10)
            try PosixFileSystem().rename(path, to: folder + "/B")
            let other = try Database.open(at: path, trees: numberTrees, options: Options(compaction: .manual))
            try await other.put(0..<3)
            await #expect(throws: StorageError.displaced(path: path)) { try await database.put(10..<20) }
            await #expect(throws: StorageError.displaced(path: path)) { try await database.compact() }
            #expect(try database.version.count(in: numbers) == 10, "reads go on")
            try await database.close()
            try await other.put(3..<5)
            try await other.compact()
            try await other.close()
            for (place, count) in [("/A", 5), ("/B", 10)] {
                #expect(try Verifier.verify(at: folder + place).isSound)
                let reopened = try Database.open(at: folder + place, trees: numberTrees)
                #expect(try reopened.version.count(in: numbers) == count)
                try await reopened.close()
            }
        }
    }

    @Test(arguments: [false, true])
    func `a log that others remove or replace by an older one costs nothing that was acknowledged`(isReplaced: Bool)
        async throws
    {
        let disk = MemoryFileSystem()
        var database = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: disk)
        func spoil(_ older: [UInt8]) throws {
            let log = try #require(try disk.files("log-", in: "A").last)
            disk.remove(log)
            if isReplaced { try disk.openFile(log, .creating).write(older, at: 0) }
        }
        try await database.put(0..<10)
        let older = try disk.bytes(of: try #require(try disk.files("log-", in: "A").last))
        try await database.put(10..<20)
        try spoil(older)
        try await database.put(20..<30)
        try spoil(older)
        // Nothing is written behind that but the end.
        try await database.close()
        for count in [30, 40] {
            database = try Database.open(
                at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: disk)
            #expect(try database.version.count(in: numbers) == count)
            if count == 30 { try await database.put(30..<40) }
            try await database.close()
            #expect(try Verifier.verify(at: "A", fileSystem: disk).isSound)
        }
    }

    @Test(arguments: [Access.exclusive, .shared])
    func `a snapshot that others remove costs nothing that was acknowledged`(access: Access) async throws {
        let disk = MemoryFileSystem()
        let options = Options.patient(access)
        var database = try Database.open(at: "A", trees: numberTrees, options: options, fileSystem: disk)
        func removeSnapshot() throws { disk.remove(try #require(try disk.files("snapshot-", in: "A").last)) }
        try await database.put(0..<10)
        try await database.compact()
        try await database.put(10..<20)
        try removeSnapshot()
        try await database.put(20..<30)
        #expect(try disk.files("snapshot-", in: "A").count == 1, "it is there again with the next commit")
        try removeSnapshot()
        // Nothing is written behind that but the end.
        try await database.close()
        database = try Database.open(at: "A", trees: numberTrees, options: options, fileSystem: disk)
        #expect(try database.version.count(in: numbers) == 30)
        try await database.close()
        #expect(try Verifier.verify(at: "A", fileSystem: disk).isSound)
    }

    /// It reads the store anew, by its name, since others have written to it: that store's log, which had no commit, was made once more.
    @Test func `a shared store that was moved away does not open the one that took its place`() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/A"
            let options = Options.patient()
            let first = try Database.open(at: path, trees: numberTrees, options: options)
            let second = try Database.open(at: path, trees: numberTrees, options: options)
            try await first.put(0..<10)
            try await second.put(10..<20)
            try PosixFileSystem().rename(path, to: folder + "/B")
            let other = try Database.open(at: path, trees: numberTrees, options: Options(compaction: .manual))
            await #expect(throws: StorageError.displaced(path: path)) { try await first.put(20..<30) }
            await #expect(throws: StorageError.displaced(path: path)) { try await second.put(20..<30) }
            try await other.put(0..<3)
            try? await first.close()
            try? await second.close()
            try await other.close()
            for (place, count) in [("/A", 3), ("/B", 20)] {
                let reopened = try Database.open(at: folder + place, trees: numberTrees)
                #expect(try reopened.version.count(in: numbers) == count)
                try await reopened.close()
            }
        }
    }

    /// Closing wrote its mark where the commits of the next one began, and cut the log there.
    @Test(arguments: [Access.exclusive, .shared], [false, true])
    func `a store whose lock was taken away does not close over who has the next one`(
        access: Access, isNextOpen: Bool
    ) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/A"
            let options = Options.patient(access)
            let database = try Database.open(at: path, trees: numberTrees, options: options)
            try await database.put(0..<10)
            try PosixFileSystem().remove(path + "/lock")
            let next = try Database.open(at: path, trees: numberTrees, options: options)
            try await next.put(10..<20)
            let head = access == .shared ? try PosixFileSystem().bytes(of: path + "/head") : []
            if isNextOpen {
                // Not even told yet that it was displaced.
                try await database.close()
            } else {
                try await next.close()
                await #expect(throws: StorageError.displaced(path: path)) { try await database.put(20..<30) }
                try await database.close()
            }
            if isNextOpen {
                if access == .shared { #expect(try PosixFileSystem().bytes(of: path + "/head") == head) }
                try await next.put(30..<40)
                try await next.close()
            }
            #expect(try Verifier.verify(at: path).isSound)
            let reopened = try Database.open(at: path, trees: numberTrees)
            #expect(try reopened.version.count(in: numbers) == (isNextOpen ? 30 : 20))
            try await reopened.close()
        }
    }

    @Test(arguments: [Access.exclusive, .shared])
    func `a store that was moved away leaves nothing of a compaction or a restore in what took its place`(
        access: Access
    ) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/A"
            let options = Options.patient(access)
            let database = try Database.open(at: path, trees: numberTrees, options: options)
            try await database.put(0..<10)
            _ = try await database.backup(to: folder + "/C")
            let plan = try RestorePlan(.newest, from: Backup(at: folder + "/C", fileSystem: PosixFileSystem()))
            try PosixFileSystem().rename(path, to: folder + "/B")
            let other = try Database.open(at: path, trees: numberTrees, options: Options(compaction: .manual))
            try await other.put(0..<3)
            func names() throws -> [String] { try PosixFileSystem().names(inDirectory: path).sorted() }
            let before = try names()
            await #expect(throws: StorageError.displaced(path: path)) { try await database.compact() }
            #expect(try names() == before)
            await #expect(throws: StorageError.displaced(path: path)) { try await database.restore(plan) }
            #expect(try names() == before)
            try? await database.close()
            #expect(try names() == before)
            try await other.close()
        }
    }

    @Test(arguments: [Access.exclusive, .shared, .readOnly])
    func `a store that was moved away backs up, loads and stages nothing where another took its place`(
        access: Access
    ) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/A"
            let maker = try Database.open(at: path, trees: numberTrees, options: Options(compaction: .manual))
            try await maker.put(0..<10)
            _ = try await maker.backup(to: folder + "/C")
            try await maker.close()
            let plan = try RestorePlan(.newest, from: Backup(at: folder + "/C"))
            let database = try Database.open(at: path, trees: numberTrees, options: .patient(access))
            try PosixFileSystem().rename(path, to: folder + "/B")
            let other = try Database.open(at: path, trees: numberTrees, options: Options(compaction: .manual))
            try await other.put(0..<3)
            func names() throws -> [String] { try PosixFileSystem().names(inDirectory: path).sorted() }
            let before = try names()
            let displaced = StorageError.displaced(path: path)
            for form in [BackupForm.directory, .file] {
                await #expect(throws: displaced) { _ = try await database.backup(to: folder + "/D", as: form) }
            }
            await #expect(throws: displaced) {
                _ = try await database.stageRestore(plan, options: Options(), progress: { _ in })
            }
            if access != .readOnly {
                await #expect(throws: displaced) {
                    try await database.load { load in
                        try load.makeCollector().put([1], forKey: [0, 0, 0, 0, 0, 0, 0, 50], in: numbers)
                    }
                }
                await #expect(throws: displaced) { _ = try await database.scratchCopy() }
            }
            #expect(try names() == before)
            #expect(try PosixFileSystem().names(inDirectory: folder).sorted() == ["A", "B", "C"])
            try? await database.close()
            #expect(try names() == before)
            try await other.close()
        }
    }

    @Test func `a commit into a directory that was removed is refused, not acknowledged`() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/A"
            let database = try Database.open(at: path, trees: numberTrees)
            try await database.put(0..<10)
            for name in try PosixFileSystem().names(inDirectory: path) { unlink(path + "/" + name) }
            rmdir(path)
            await #expect(throws: StorageError.displaced(path: path)) { try await database.put(10..<20) }
            #expect(try database.version.count(in: numbers) == 10, "reads go on")
            try await database.close()
            #expect(try PosixFileSystem().kind(of: path) == .absent)
        }
    }

    @Test func `a store that comes back to its place is written again`() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/A"
            let database = try Database.open(at: path, trees: numberTrees)
            try await database.put(0..<10)
            try PosixFileSystem().rename(path, to: folder + "/B")
            await #expect(throws: StorageError.displaced(path: path)) { try await database.put(10..<20) }
            try PosixFileSystem().rename(folder + "/B", to: path)
            try await database.put(10..<20)
            try await database.close()
            let reopened = try Database.open(at: path, trees: numberTrees)
            #expect(try reopened.version.count(in: numbers) == 20)
            try await reopened.close()
        }
    }
}

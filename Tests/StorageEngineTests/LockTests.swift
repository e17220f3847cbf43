import StorageEngine
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct LockTests {
    /// Between its beginning and its program, a new process holds every open file of the one that began it. Closing the lock's
    /// file left the lock to that process: 1,387 of 1,500 openings failed.
    @Test func `a store that was closed opens again while another thread begins processes`() async throws {
        try await withTemporaryDirectory { folder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    while !Task.isCancelled { try beginProcess() }
                }
                defer { group.cancelAll() }
                for _ in 0..<300 {
                    let lock = try PosixFileSystem().lock(folder + "/lock")
                    lock.unlock()
                }
                for _ in 0..<20 {
                    let database = try Database.open(at: folder + "/A", trees: numberTrees)
                    try await database.close()
                }
            }
        }
    }

    @Test func `who takes a lock again knows whether another has had it`() async throws {
        try await withTemporaryDirectory { folder in
            for fileSystem: any FileSystem in [PosixFileSystem(), MemoryFileSystem()] {
                let first = try fileSystem.lock(folder + "/lock")
                #expect(!first.isAsLeft)
                first.letGo()
                #expect(try first.take())
                #expect(first.isAsLeft)
                first.letGo()
                let second = try fileSystem.lock(folder + "/lock")
                #expect(!second.isAsLeft)
                #expect(try !first.take())
                second.letGo()
                #expect(try first.take())
                #expect(!first.isAsLeft)
                first.letGo()
                #expect(try first.take())
                #expect(first.isAsLeft)
                first.letGo()
                #expect(try second.take())
                #expect(!second.isAsLeft)
                second.unlock()
            }
        }
    }

    @Test func `a lock that is held is refused, with the process that holds it`() async throws {
        try await withTemporaryDirectory { folder in
            let lock = try PosixFileSystem().lock(folder + "/lock")
            #expect(throws: StorageError.inUse(path: folder + "/lock", processIdentifier: getpid())) {
                _ = try PosixFileSystem().lock(folder + "/lock")
            }
            lock.unlock()
            lock.unlock()
            try PosixFileSystem().lock(folder + "/lock").unlock()
        }
    }
}

/// Runs `true` and waits for its end.
private func beginProcess() throws {
    var identifier = pid_t()
    let name = try #require(strdup("true"))
    defer { free(name) }
    var arguments: [UnsafeMutablePointer<CChar>?] = [name, nil]
    try #require(posix_spawnp(&identifier, "true", nil, nil, &arguments, environ) == 0)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
}

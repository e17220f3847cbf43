import Foundation
import StorageEngine
import Synchronization
import TestSupport
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
            let processes = BegunProcesses()
            defer { processes.end() }
            while !processes.haveBegun { await pause() }
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

/// A thread, none of those that tasks share, that begins one process after another.
private final class BegunProcesses: Sendable {
    private let hasBegun = Atomic(false)
    private let isEnded = Atomic(false)

    init() {
        Thread.detachNewThread { [self] in
            while !isEnded.load(ordering: .relaxed) {
                Self.beginOne()
                hasBegun.store(true, ordering: .relaxed)
            }
        }
    }

    var haveBegun: Bool { hasBegun.load(ordering: .relaxed) }

    func end() { isEnded.store(true, ordering: .relaxed) }

    /// Runs `true` and waits for its end.
    private static func beginOne() {
        var identifier = pid_t()
        var arguments = [strdup("true"), nil]
        defer { free(arguments[0]) }
        guard posix_spawnp(&identifier, "true", nil, nil, &arguments, environ) == 0 else {
            Issue.record("No process can be begun.")
            return
        }
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
    }
}

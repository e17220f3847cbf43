import Testing

@testable import StorageEngine

/// Who shares a store takes a turn before the lock.
@Suite struct TurnTests {
    /// It was the one that wrote last, which may be the one that waits.
    @Test func `who waits is told of the process that it waits for`() async throws {
        try await withTemporaryDirectory { folder in
            let (files, disk) = (StoreFiles(directory: folder), PosixFileSystem())
            func say(_ process: String, _ path: String) throws {
                let file = try disk.openFile(path, .writing)
                defer { file.close() }
                try file.write(Array((process + String(repeating: " ", count: 16 - process.count)).utf8), at: 0)
            }
            let lock = try WriteLock(files, disk, isShared: true, waitingFor: .zero)
            lock.letGo()
            let turn = try disk.lock(files.turn)
            try say("4242", files.turn)
            #expect(try !lock.take())
            #expect(lock.holder == 4242)
            turn.unlock()
            let other = try disk.lock(files.lock)
            try say("4343", files.lock)
            #expect(try !lock.take())
            #expect(lock.holder == 4343)
            other.unlock()
            #expect(try lock.take())
            lock.unlock()
        }
    }
}

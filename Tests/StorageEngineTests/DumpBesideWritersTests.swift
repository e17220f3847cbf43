import Synchronization
import Testing

@testable import StorageEngine

/// Looks at a store's files without a lock, while a compaction replaces them.
@Suite struct DumpBesideWritersTests {
    /// A store before a compaction until somebody opens a segment of its log, and from then on the same store after it.
    private final class Compacting: FileSystem {
        private let (before, after): (MemoryFileSystem, MemoryFileSystem)
        private let isCompacted = Mutex(false)

        init(_ before: MemoryFileSystem, _ after: MemoryFileSystem) { (self.before, self.after) = (before, after) }

        private var base: MemoryFileSystem { isCompacted.withLock { $0 } ? after : before }

        func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
            if path.hasPrefix("A/log-") { isCompacted.withLock { $0 = true } }
            return try base.openFile(path, mode)
        }

        func names(inDirectory path: String) throws(StorageError) -> [String] { try base.names(inDirectory: path) }
        func kind(of path: String) -> PathKind { base.kind(of: path) }
        func createDirectory(_ path: String, sharing: Sharing) { base.createDirectory(path, sharing: sharing) }
        func flushDirectory(_ path: String) {}
        func rename(_ path: String, to target: String) throws(StorageError) { try base.rename(path, to: target) }
        func remove(_ path: String) { base.remove(path) }
        func removeDirectory(_ path: String) { base.removeDirectory(path) }
        func lock(_ path: String) throws(StorageError) -> any FileLock { try base.lock(path) }
        func now() -> UInt64 { 0 }
        func freeByteCount(at directory: String) -> UInt64? { nil }
    }

    private func store(_ files: MemoryFileSystem) async throws -> Database {
        let store = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: files)
        try await store.put(0..<100)
        return store
    }

    /// A store that is compacted while its files are opened.
    private func compacting() async throws -> Compacting {
        let (before, after) = (MemoryFileSystem(), MemoryFileSystem())
        try await store(before).close()
        let store = try await store(after)
        try await store.compact()
        try await store.put(100..<110)
        try await store.close()
        let left = Set(try before.names(inDirectory: "A")).intersection(try after.names(inDirectory: "A"))
        #expect(!left.contains { $0.hasPrefix("log-") || $0.hasPrefix("snapshot-") })
        return Compacting(before, after)
    }

    /// `dump` ended with "There is no library at L/log-0000000000000026".
    @Test func `a dump looks again when a compaction removed what was listed`() async throws {
        let dump = try StoreDump(at: "A", fileSystem: try await compacting())
        #expect(try dump.header { _ in } == .shown(misfits: 0))
        #expect(try dump.log(commit: nil) { _ in } == .shown(misfits: 0))
    }

    @Test func `a salvage looks again when a compaction removed what was listed`() async throws {
        let salvage = try Salvage(at: "A", fileSystem: try await compacting())
        #expect(salvage.report.isWhole && salvage.report.lastCommit == 2)
    }

    @Test func `a dump shows files that a compaction has removed since it began`() async throws {
        let files = MemoryFileSystem()
        let store = try await store(files)
        let dump = try StoreDump(at: "A", fileSystem: files)
        try await store.compact()
        #expect(try dump.header { _ in } == .shown(misfits: 0))
        #expect(try dump.log(commit: 1) { _ in } == .shown(misfits: 0))
        try await store.close()
    }
}

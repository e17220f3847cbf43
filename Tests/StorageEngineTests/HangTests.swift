import Glibc
import RotSimulation
import StorageEngine
import TestSupport
import Testing

func say(_ s: String) { let b = Array((s + "\n").utf8); _ = b.withUnsafeBytes { write(2, $0.baseAddress!, $0.count) } }

@Suite struct HangTests {
    @Test(arguments: [0, 1]) func `hang`(lane: Int) async throws {
        for round in 0..<60 {
            let fileSystem = MemoryFileSystem()
            try fileSystem.copyFromRepository(GoldenStore.branches.directory)
            let path = GoldenStore.branches.directory + "/snapshot-0000000000000002"
            var bytes = try fileSystem.bytes(of: path)
            bytes[16565] ^= 0xFF
            try fileSystem.replace(path, with: bytes)
            say("\(lane) \(round) open")
            let database = try Database.open(at: GoldenStore.branches.directory, trees: [], options: Options(compaction: .manual), fileSystem: fileSystem)
            say("\(lane) \(round) compact \(database.version.damagedTrees.count)")
            do { try await database.compact() } catch { say("\(error)") }
            say("\(lane) \(round) close")
            try await database.close()
            say("\(lane) \(round) closed")
        }
    }
}

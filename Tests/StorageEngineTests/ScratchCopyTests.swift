import CrashSimulation
import Testing

@testable import StorageEngine

/// Copies of a store that something is tried with.
struct ScratchCopyTests {
    @Test func `a copy has what the store has, and takes what is written to it alone`() async throws {
        try await withTemporaryDirectory { folder in
            let database = try Database.open(at: folder + "/S", trees: numberTrees)
            try await database.put(0..<10)
            try await database.compact()
            try await database.put(10..<20)
            let copy = try await database.scratchCopy()
            let tried = try Database.open(at: copy.path, trees: numberTrees)
            #expect(try tried.version.count(in: numbers) == 20)
            try await tried.put(20..<30)
            try await tried.close()
            copy.remove()
            #expect(try database.version.count(in: numbers) == 20)
            #expect(try PosixFileSystem().names(inDirectory: folder) == ["S"])
            try await database.close()
        }
    }

    @Test func `what a killed process left goes with the next copy, and nothing of anybody else`() async throws {
        try await withTemporaryDirectory { folder in
            let disk = PosixFileSystem()
            let database = try Database.open(at: folder + "/S", trees: numberTrees)
            try await database.put(0..<10)
            let atWork = try await database.scratchCopy()
            func leave(_ workshop: String, _ names: [String]) throws {
                try disk.createDirectory(folder + "/" + workshop, sharing: .owner)
                for name in names { try disk.openFile(folder + "/\(workshop)/\(name)", .creating).close() }
            }
            try leave(".S.scratch-dead", ["lock"])
            try leave(".S.scratch-dead/copy", ["log-1", "snapshot-1"])
            try leave(".S.scratch-begun", [])
            try leave(".S.scratch-notes", ["lock", "notes"])
            try leave(".T.scratch-dead", ["lock"])
            let copy = try await database.scratchCopy()
            copy.remove()
            let left = try Set(disk.names(inDirectory: folder))
            #expect(left.subtracting([".S.scratch-begun", ".S.scratch-notes", ".T.scratch-dead", "S"]).count == 1)
            #expect(left.contains(".S.scratch-notes") && left.contains(".T.scratch-dead"))
            #expect(try disk.kind(of: atWork.path) == .directory)
            atWork.remove()
            #expect(try disk.kind(of: atWork.path) == .absent)
            try await database.close()
        }
    }
}

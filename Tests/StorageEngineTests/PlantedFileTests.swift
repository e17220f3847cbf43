import StorageEngine
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Links, pipes and directories in the places of a store's files.
@Suite struct PlantedFileTests {
    private let fileSystem = PosixFileSystem()

    private func makeStore(at path: String) async throws {
        let database = try Database.open(at: path, trees: numberTrees, options: Options(compaction: .manual))
        try await database.put(0..<10)
        try await database.close()
    }

    /// What each way to plant something puts there, as errors name it.
    private static let plants: [(found: String, plant: @Sendable (_ path: String, _ target: String) -> Int32)] = [
        ("a symbolic link", { path, target in symlink(target, path) }),
        ("a symbolic link", { path, _ in symlink("nowhere", path) }),
        ("a symbolic link", { path, _ in symlink("/dev/null", path) }),
        ("a named pipe", { path, _ in mkfifo(path, 0o600) }),
        ("a directory", { path, _ in mkdir(path, 0o700) }),
    ]

    @Test(arguments: ["snapshot-0000000000000001", "log-0000000000000001", "lock"], plants.indices)
    func `whatever is not a file in a store's place is refused by name`(name: String, index: Int) async throws {
        let (found, plant) = Self.plants[index]
        try await withTemporaryDirectory { folder in
            let (path, moved) = (folder + "/A", folder + "/moved")
            try await makeStore(at: path)
            try fileSystem.rename(path + "/" + name, to: moved)
            #expect(plant(path + "/" + name, moved) == 0)
            let refusal = StorageError.notARegularFile(path: path + "/" + name, found: found)
            #expect(throws: refusal) { try Database.open(at: path, trees: numberTrees) }
            // Readers have no use for the lock.
            if name == "lock" {
                let reader = try Database.open(at: path, trees: [], options: Options(access: .readOnly))
                #expect(try reader.version.count(in: numbers) == 10)
            } else {
                #expect(throws: refusal) { try Database.open(at: path, trees: [], options: Options(access: .readOnly)) }
                #expect(throws: refusal) { try Verifier.verify(at: path) }
                #expect(throws: refusal) { try StoreInspection(at: path) }
                #expect(throws: refusal) { try Salvage(at: path) }
            }
            #expect(try fileSystem.bytes(of: moved).count > 0, "what a link leads to was not touched")
        }
    }

    /// A compaction created its snapshot with O_TRUNC, through the link.
    @Test func `a link in the place of a file to be made is replaced, and what it leads to is left alone`() async throws
    {
        try await withTemporaryDirectory { folder in
            let (path, precious) = (folder + "/A", folder + "/precious")
            try await makeStore(at: path)
            let store = try Database.open(at: path, trees: numberTrees, options: Options(compaction: .manual))
            try fileSystem.replace(precious, with: [1, 2, 3])
            for name in ["snapshot-0000000000000002.tmp", "log-0000000000000002", "log-0000000000000002.tmp"] {
                #expect(symlink(precious, path + "/" + name) == 0)
            }
            try await store.put(10..<20)
            try await store.compact()
            try await store.close()
            #expect(try fileSystem.bytes(of: precious) == [1, 2, 3])
            #expect(try Verifier.verify(at: path).isSound)
        }
    }

    @Test func `neither a pipe nor a link to nowhere is a store, and a link to a store is one`() async throws {
        try await withTemporaryDirectory { folder in
            #expect(mkfifo(folder + "/pipe", 0o600) == 0 && symlink("nowhere", folder + "/link") == 0)
            for (name, found) in [("pipe", "a named pipe"), ("link", "a symbolic link")] {
                let path = folder + "/" + name
                let refusal = StorageError.notAStore(path: path, reason: "it is \(found), and a store is a directory")
                #expect(throws: refusal) { try Database.open(at: path, trees: numberTrees) }
                #expect(throws: refusal) { try Verifier.verify(at: path) }
                #expect(throws: refusal) { try StoreInspection(at: path) }
                #expect(throws: refusal) { try Salvage(at: path) }
                #expect(throws: refusal) { try StoreDump(at: path) }
            }
            try await makeStore(at: folder + "/A")
            #expect(symlink("A", folder + "/B") == 0)
            let database = try Database.open(at: folder + "/B", trees: numberTrees)
            #expect(try database.version.count(in: numbers) == 10)
            try await database.close()
        }
    }

    @Test func `an inspection passes over whatever else lies in the directory`() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/A"
            try await makeStore(at: path)
            for (number, plant) in Self.plants.enumerated() {
                #expect(plant.plant("\(path)/foreign \(number)", folder) == 0)
            }
            let inspection = try StoreInspection(at: path)
            #expect(inspection.files.count { $0.role == .foreign } == Self.plants.count && inspection.damage.isEmpty)
        }
    }

    @Test(arguments: ["thesis.tmp", "aside-old", "aside-notes-1", "log-draft"])
    func `a name that only looks like one of a store's is another's, and stays`(name: String) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/A"
            #expect(mkdir(path, 0o700) == 0)
            try fileSystem.replace("\(path)/\(name)", with: [1])
            let reason = "it holds other files, such as \(name)"
            #expect(throws: StorageError.notAStore(path: path, reason: reason)) {
                try Database.open(at: path, trees: numberTrees)
            }
            #expect(try fileSystem.names(inDirectory: path) == [name])
        }
    }

    @Test func `a directory that holds hidden files only becomes a store, one with other files does not`() async throws
    {
        try await withTemporaryDirectory { folder in
            for name in [".DS_Store", "notes.txt"] {
                #expect(mkdir(folder + "/" + name, 0o700) == 0)
                try fileSystem.replace("\(folder)/\(name)/\(name)", with: [1])
            }
            try await makeStore(at: folder + "/.DS_Store")
            #expect(try Verifier.verify(at: folder + "/.DS_Store").isSound)
            let reason = "it holds other files, such as notes.txt"
            #expect(throws: StorageError.notAStore(path: folder + "/notes.txt", reason: reason)) {
                try Database.open(at: folder + "/notes.txt", trees: numberTrees)
            }
        }
    }
}

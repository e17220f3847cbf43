import TestSupport
import Testing

@testable import StorageEngine

/// What is refused, before anything changes.
@Suite struct BackupRefusalTests {
    private func refusal(
        _ fileSystem: any FileSystem, _ watched: String, _ work: () async throws -> Void
    ) async throws -> StorageError? {
        let before = try? fileSystem.image(of: watched)
        var found: StorageError?
        do { try await work() } catch let error as StorageError { found = error }
        #expect(found != nil, "it is refused")
        #expect(try before == nil ? fileSystem.kind(of: watched) == .absent : fileSystem.image(of: watched) == before)
        return found
    }

    @Test func `another library's backup is not added to`() async throws {
        let fileSystem = MemoryFileSystem()
        for name in ["A", "C"] {
            let store = try fileSystem.openStore(name)
            try await store.put(0..<10)
            try await store.close()
        }
        _ = try await fileSystem.backUp("A")
        let error = try await refusal(fileSystem, "B") { _ = try await fileSystem.backUp("C") }
        #expect(error?.refusal?.contains("another library") == true)
    }

    @Test(arguments: [false, true])
    func `commits that readers see and no file has keep a store from being backed up`(isRefusing: Bool) async throws {
        let disk = FaultyFileSystem()
        let store = try Database.open(
            at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: disk)
        try await store.put(0..<10)
        disk.fail { call, path in
            if isRefusing { return .inputOutput(operation: "\(call)", path: path, code: 5) }
            return call == .write || call == .reserve ? .diskFull(path: path) : nil
        }
        try await store.put(10..<11, .memory)
        await store.settle()
        #expect(try store.version.count(in: numbers) == 11)
        disk.fail { call, path in call == .write && path.contains("log-") ? .diskFull(path: path) : nil }
        let refused = try await refusal(disk, "B") { _ = try await store.backup(to: "B") }
        #expect(refused?.refusal?.contains(isRefusing ? "are in no file" : "could not be written") == true)
        disk.fail(nil)
        if !isRefusing {
            #expect(try await store.backup(to: "B").commitNumber == 2)
            try await store.close()
        }
    }

    @Test func `a restored library is another line, to the backups of the old one and the other way round`()
        async throws
    {
        let fileSystem = MemoryFileSystem()
        let store = try fileSystem.openStore()
        for number in 0..<5 { try await store.put(number..<number + 1) }
        try await store.close()
        _ = try await fileSystem.backUp()
        _ = try await fileSystem.restored(.commit(3))
        let error = try await refusal(fileSystem, "B") { _ = try await fileSystem.backUp("R") }
        #expect(error?.refusal?.contains("before a restore") == true)
        _ = try await fileSystem.backUp("R", to: "BR")
        #expect(throws: StorageError.self, performing: { try Backup(at: "A", fileSystem: fileSystem) })
    }

    @Test(arguments: [false, true])
    func `of two copies of a library that went on separately one continues the backup`(compacted: Bool) async throws {
        let fileSystem = MemoryFileSystem()
        let store = try fileSystem.openStore()
        for number in 0..<5 { try await store.put(number..<number + 1) }
        try await store.close()
        for (name, bytes) in try fileSystem.image(of: "A") {
            fileSystem.createDirectory("C")
            try fileSystem.replace("C/" + name, with: bytes)
        }
        let one = try fileSystem.openStore("A")
        for number in 10..<20 { try await one.put(number..<number + 1) }
        try await one.close()
        _ = try await fileSystem.backUp("A")
        let other = try fileSystem.openStore("C")
        try await other.put(30..<31)
        if compacted { try await other.compact() }
        try await other.close()
        let error = try await refusal(fileSystem, "B") { _ = try await fileSystem.backUp("C") }
        #expect(error?.refusal?.contains("an older or another copy") == true, "\(error!)")
    }

    @Test func `a damaged library is not backed up, whatever is damaged, and the earlier backup stays`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try fileSystem.openStore()
        try await store.put(0..<2_000)
        try await store.compact()
        for number in 0..<20 { try await store.put(number..<number + 1) }
        try await store.close()
        _ = try await fileSystem.backUp()
        for name in try fileSystem.names(inDirectory: "A") where StoreFiles.isOfStore(name) {
            let bytes = try fileSystem.bytes(of: "A/" + name)
            var spoiled = bytes
            spoiled[name.hasPrefix("log") ? 100 : 6 * 4096 + 100] ^= 0x10
            try fileSystem.replace("A/" + name, with: spoiled)
            for (destination, form) in [("N", BackupForm.directory), ("F", .file)] {
                let error = try await refusal(fileSystem, "B") {
                    _ = try await fileSystem.backUp(to: destination, as: form)
                }
                #expect(error?.refusal?.contains("library is damaged") == true, "\(name): \(error!)")
                #expect("\(error!)".contains("bookdb repair"))
                #expect((try? Backup(at: destination, fileSystem: fileSystem)) == nil)
            }
            try fileSystem.replace("A/" + name, with: bytes)
        }
    }

    @Test func `a place that holds other things is no place for a backup`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try fileSystem.openStore()
        try await store.put(0..<10)
        fileSystem.createDirectory("Photos")
        try fileSystem.replace("Photos/holiday.jpg", with: [1])
        let error = try await refusal(fileSystem, "Photos") { _ = try await store.backup(to: "Photos") }
        #expect(error?.refusal?.contains("holiday.jpg") == true)
        await #expect(throws: StorageError.exists(path: "A")) { _ = try await store.backup(to: "A") }
        _ = try await store.backup(to: "F", as: .file)
        let before = try fileSystem.bytes(of: "F")
        await #expect(throws: StorageError.exists(path: "F")) { _ = try await store.backup(to: "F", as: .file) }
        #expect(try fileSystem.bytes(of: "F") == before)
        await #expect(throws: StorageError.missingParent(path: "No/F", parent: "No")) {
            _ = try await store.backup(to: "No/F", as: .file)
        }
        await #expect(throws: StorageError.self) { _ = try await store.backup(to: "F") }
        try await store.close()
    }

    @Test func `somebody else's temporary files stay, and are no backup`() async throws {
        let fileSystem = MemoryFileSystem()
        let store = try fileSystem.openStore()
        try await store.put(0..<10)
        fileSystem.createDirectory("Papers")
        try fileSystem.replace("Papers/thesis.tmp", with: [1])
        let error = try await refusal(fileSystem, "Papers") { _ = try await store.backup(to: "Papers") }
        #expect(error?.refusal?.contains("thesis.tmp") == true)
        _ = try await store.backup(to: "B")
        let part = try #require(try fileSystem.names(inDirectory: "B").first { $0.hasPrefix("log-") })
        let others = ["notes.tmp", ".sync.x.tmp", "log-7.tmp", "manifest.old.tmp"]
        for name in others + ["manifest.tmp", part + ".tmp"] { try fileSystem.replace("B/" + name, with: [1]) }
        try await store.put(10..<20)
        _ = try await store.backup(to: "B")
        let left = try fileSystem.names(inDirectory: "B").filter { $0.hasSuffix(".tmp") }
        #expect(Set(left) == Set(others))
        try await store.close()
    }

    @Test func `a file is made beside what has its temporary name, or not at all`() async throws {
        let fileSystem = FaultyFileSystem()
        let store = try fileSystem.openStore()
        try await store.put(0..<10)
        try fileSystem.replace("F.tmp", with: [1])
        try fileSystem.createDirectory("G.tmp", sharing: .owner)
        try fileSystem.replace("G.tmp/notes", with: [2])
        try fileSystem.createDirectory("H.tmp", sharing: .owner)
        try fileSystem.replace("H.tmp/backup", with: [3])
        for name in ["F", "G", "H"] {
            let error = await #expect(throws: StorageError.self) { _ = try await store.backup(to: name, as: .file) }
            #expect(error?.refusal?.contains("\(name).tmp") == true, "\(error!)")
            #expect(try fileSystem.kind(of: name) == .absent)
        }
        #expect(try fileSystem.bytes(of: "F.tmp") == [1] && fileSystem.bytes(of: "G.tmp/notes") == [2])
        #expect(try fileSystem.bytes(of: "H.tmp/backup") == [3])
        // Another that makes the same one.
        try fileSystem.createDirectory("K.tmp", sharing: .owner)
        let lock = try fileSystem.lock("K.tmp/lock")
        let error = await #expect(throws: StorageError.self) { _ = try await store.backup(to: "K", as: .file) }
        guard case .inUse(path: "K", _)? = error else { Issue.record("\(String(describing: error))"); return }
        lock.unlock()
        // A name that may not be on the medium is no backup.
        fileSystem.fail { call, path in
            call == .flushDirectory ? .inputOutput(operation: "fsync", path: path, code: 5) : nil
        }
        await #expect(throws: StorageError.self) { _ = try await store.backup(to: "L", as: .file) }
        fileSystem.fail(nil)
        #expect(try fileSystem.kind(of: "L") == .absent)
        _ = try await store.backup(to: "L", as: .file)
        try await store.close()
    }

    @Test func `too little space is found before anything is written`() async throws {
        let fileSystem = SettableFileSystem()
        let store = try fileSystem.openStore()
        try await store.put(0..<1_000)
        try await store.compact()
        _ = try await store.backup(to: "B")
        fileSystem.set(free: 100)
        for form in [BackupForm.directory, .file] {
            let error = try await refusal(fileSystem, "B") { _ = try await store.backup(to: "N\(form)", as: form) }
            guard case .tooLittleSpace(_, _, 100) = error else { return #expect(Bool(false), "\(error!)") }
        }
        try await store.close()
        let before = try fileSystem.image(of: "A")
        let plan = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: fileSystem))
        await #expect(throws: StorageError.self) {
            _ = try await Database.stageRestore(plan, at: "A", replacing: true, fileSystem: fileSystem)
        }
        await #expect(throws: StorageError.self) {
            _ = try await Database.stageRestore(plan, at: "R", replacing: false, fileSystem: fileSystem)
        }
        #expect(try fileSystem.image(of: "A") == before && fileSystem.kind(of: "R") == .absent)
    }

    @Test func `a library that exists is replaced only when that is asked for, and no other directory is`() async throws
    {
        let fileSystem = MemoryFileSystem()
        let store = try fileSystem.openStore()
        try await store.put(0..<10)
        _ = try await store.backup(to: "B")
        let plan = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: fileSystem))
        await #expect(throws: StorageError.exists(path: "A")) {
            _ = try await Database.stageRestore(plan, at: "A", replacing: false, fileSystem: fileSystem)
        }
        await #expect(throws: StorageError.self) {
            _ = try await Database.stageRestore(plan, at: "B", replacing: true, fileSystem: fileSystem)
        }
        #expect(try fileSystem.files("staged-", in: "A").isEmpty)
        try await store.close()
    }

    @Test(arguments: [BackupForm.directory, .file])
    func `a flipped bit anywhere in a backup is found, and nothing is restored from it`(form: BackupForm) async throws {
        var random = SeededGenerator.forTest(fallback: 3)
        let fileSystem = MemoryFileSystem()
        let store = try fileSystem.openStore()
        try await store.put(0..<300)
        try await store.compact()
        for number in 0..<10 { try await store.put(number..<number + 1) }
        _ = try await store.backup(to: "B", as: form)
        let paths =
            form == .file ? ["B"] : try fileSystem.names(inDirectory: "B").filter { $0 != "lock" }.map { "B/" + $0 }
        for path in paths {
            let bytes = try fileSystem.bytes(of: path)
            let isDense = bytes.count < 2_000
            for place in isDense
                ? Array(bytes.indices) : (0..<150).map({ _ in Int.random(in: bytes.indices, using: &random) })
            {
                // Between the parts of one file are zeros that belong to nothing.
                if form == .file, try Self.isPadding(place, "B", fileSystem) { continue }
                var spoiled = bytes
                spoiled[place] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
                try fileSystem.replace(path, with: spoiled)
                #expect(throws: StorageError.self, "\(path) at \(place)") {
                    let backup = try Backup(at: "B", fileSystem: fileSystem)
                    try backup.verify()
                }
                #expect(throws: StorageError.self, "\(path) at \(place)") {
                    _ = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: fileSystem))
                }
            }
            for count in [0, 1, bytes.count / 2, bytes.count - 1] {
                try fileSystem.replace(path, with: Array(bytes.prefix(count)))
                #expect(throws: StorageError.self, "\(path) cut to \(count)") {
                    _ = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: fileSystem))
                }
            }
            try fileSystem.replace(path, with: bytes)
        }
        if form == .directory {
            for path in paths {
                let bytes = try fileSystem.bytes(of: path)
                fileSystem.remove(path)
                #expect(throws: StorageError.self, "\(path) is missing") {
                    _ = try RestorePlan(.newest, from: Backup(at: "B", fileSystem: fileSystem))
                }
                try fileSystem.replace(path, with: bytes)
            }
        }
        try Backup(at: "B", fileSystem: fileSystem).verify()
        try await store.close()
    }

    private static func isPadding(_ place: Int, _ path: String, _ fileSystem: any FileSystem) throws -> Bool {
        // As the file was before it was spoiled here: the manifest is at its end.
        guard let backup = try? Backup(at: path, fileSystem: fileSystem) else { return false }
        let end = backup.manifest.parts.map { Int($0.place + $0.byteCount) }.max() ?? 0
        let manifest = (end + 4095) / 4096 * 4096
        let isInPart = backup.manifest.parts.contains {
            (Int($0.place)..<Int($0.place + $0.byteCount)).contains(place)
        }
        return place >= 8 && place < manifest && !isInPart
    }

    @Test func `whichever call to the disk fails, the backup before is whole, and the next one is`() async throws {
        for failing in 1... {
            let base = MemoryFileSystem()
            let fileSystem = FaultyFileSystem(base)
            let store = try fileSystem.openStore()
            try await store.put(0..<200)
            _ = try await store.backup(to: "B")
            try await store.put(200..<210)
            try await store.compact()
            try await store.put(210..<215)
            let made = CallCounter()
            fileSystem.fail { _, path in
                guard path.hasPrefix("B") else { return nil }
                return made.count() == failing ? .inputOutput(operation: "call", path: path, code: 5) : nil
            }
            let report = try? await store.backup(to: "B")
            fileSystem.fail(nil)
            let backup = try Backup(at: "B", fileSystem: fileSystem)
            try backup.verify()
            #expect(backup.commitNumber == 1 || backup.commitNumber == 3)
            #expect(try await store.backup(to: "B").commitNumber == 3)
            #expect(try await base.restored(to: "R\(failing)").contents == store.version.strings())
            try await store.close()
            if made.value < failing {
                #expect(report != nil && failing > 10)
                break
            }
        }
    }
}

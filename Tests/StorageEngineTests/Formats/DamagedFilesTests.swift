import Foundation
import TestSupport
import Testing

@testable import StorageEngine

/// Every row of `Formats/damaged/README.md`.
@Suite struct DamagedFilesTests {
    @Test func `there are damaged files of every kind, and each has a name of its own`() {
        #expect(DamageCase.all.count >= 100)
        #expect(Set(DamageCase.all.map(\.what)).count > DamageCase.all.count - 10)
        let kinds = VerificationReport.Check.Name.allCases.map(\.rawValue) + ["torn", "refused", "nothing"]
        #expect(Set(DamageCase.all.map(\.found)) == Set(kinds))
    }

    @Test(arguments: DamageCase.all)
    func `the verifier finds what is listed`(damage: DamageCase) throws {
        let fileSystem = MemoryFileSystem()
        try damage.make(fileSystem, "Damaged")
        let report: VerificationReport
        do {
            report = try Verifier.verify(at: "Damaged", fileSystem: fileSystem)
        } catch {
            #expect(damage.found == "refused" && "\(error)".contains(damage.words), "\(error)")
            return
        }
        let all = report.damage + report.treeFindings.map(\.damage)
        let kind = report.checks.first { !$0.passed }?.name.rawValue
        switch damage.found {
        case "nothing", "torn":
            #expect(report.isSound && (report.tornByteCount > 0) == (damage.found == "torn"), "\(all)")
        case "refused": Issue.record("it was verified: \(all)")
        default:
            let path = try damage.path(in: "Damaged")
            let isFound = all.contains {
                $0.file == path && $0.page == damage.page && $0.byteOffset == damage.byte
                    && damage.isWorded($0.finding)
            }
            #expect(isFound && kind == damage.found, "\(kind ?? "nothing"): \(all)")
        }
    }

    /// What is wrong with a log and changes nothing of what is replayed. Verifying tells of it, opening does not.
    private static let harmlessInLogs: Set<String> = [
        "a salt that is not the segment's", "padding behind a payload", "flags there are not",
        "a raw count of a closing mark that is not so",
        "a byte of the gap before a closing mark",
        "bytes behind the last frame of a segment that another follows",
    ]

    @Test(arguments: DamageCase.all)
    func `a store with a damaged log does not open for writing, and a sound one does`(damage: DamageCase) async throws {
        let fileSystem = MemoryFileSystem()
        try damage.make(fileSystem, "Damaged")
        let isSound = ["nothing", "torn"].contains(damage.found)
        switch await openingError(fileSystem) {
        case nil:
            #expect(damage.found != "refused")
            #expect(damage.found != "log" || Self.harmlessInLogs.contains(damage.what))
            #expect(try !isSound || Verifier.verify(at: "Damaged", fileSystem: fileSystem).isSound)
        case .damaged(let found): #expect(!isSound && damage.found != "refused", "\(found)")
        case .newerFormat, .unknownFeatures(_, _, canBeRead: false): #expect(damage.found == "refused")
        case .unknownFeatures(_, _, canBeRead: true): #expect(isSound)
        case let error: Issue.record("\(error.map(String.init(describing:)) ?? "")")
        }
    }

    private func openingError(_ fileSystem: MemoryFileSystem) async -> StorageError? {
        do {
            try await Database.open(at: "Damaged", trees: [], fileSystem: fileSystem).close()
            return nil
        } catch {
            return error
        }
    }

    @Test(.enabled(if: PythonReader.isInstalled, "python3, 3.8 or newer, is not installed"))
    func `the reader in Python agrees with the list`() async throws {
        try await withTemporaryDirectory { directory in
            let paths = try DamageCase.all.enumerated().map { index, damage in
                let memory = MemoryFileSystem()
                try damage.make(memory, "Damaged")
                return try copy(memory, to: directory + "/\(index)")
            }
            let run = try PythonReader(["verify"] + paths)
            #expect(run.status == 1, "\(run.talk)")
            let lines = Set(run.output.split(separator: "\n").map(String.init))
            for (damage, path) in zip(DamageCase.all, paths) {
                let verdict =
                    switch damage.found {
                    case "nothing": "\(path) is sound"
                    case "torn": "\(path) is sound, with a torn tail"
                    case "refused": "\(path) is refused"
                    default: "\(path) is damaged"
                    }
                let found = lines.filter { line in [" ", "/", ","].contains { line.hasPrefix(path + $0) } }
                #expect(
                    found.contains { $0 == verdict || $0 == verdict + ", with a torn tail" }, "\(damage.what): \(found)"
                )
                guard let byte = damage.byte else { continue }
                let place = try damage.path(in: path) + ", byte \(byte): "
                #expect(found.contains { $0.hasPrefix(place) }, "\(damage.what) is not at \(place)\(found)")
            }
        }
    }

    @Test(.enabled(if: PythonReader.isInstalled, "python3, 3.8 or newer, is not installed"))
    func `both readers judge random changes alike`() async throws {
        var generator = SeededGenerator.forTest(fallback: 12)
        try await withTemporaryDirectory { directory in
            var judged: [(path: String, change: String, verdict: String)] = []
            for index in 0..<40 {
                let change = Self.randomChange(&generator)
                let memory = try damagedStore(change)
                let path = try copy(memory, to: directory + "/\(index)")
                judged.append((path, change, Self.verdict(of: memory)))
            }
            let run = try PythonReader(["verify"] + judged.map(\.path))
            let lines = run.output.split(separator: "\n").map(String.init)
            for (path, change, verdict) in judged {
                #expect(lines.contains { $0.hasPrefix("\(path) is \(verdict)") }, "\(change): not \(verdict)")
            }
        }
    }

    @Test(.enabled(if: PythonReader.isInstalled, "python3, 3.8 or newer, is not installed"))
    func `both readers take first bytes of frames for a torn tail, and heads that claim too much for rot`() async throws
    {
        let memory = try damagedStore(DamagedStore(golden: "small"))
        let log = "Damaged/log-0000000000000002"
        let bytes = try memory.bytes(of: log)
        var reader = LogReader(bytes, path: log)
        let tails = [
            (FalseFrames.beginnings(70), "sound, with a torn tail"),
            (FalseFrames.heads(400, salt: try reader.header().salt), "damaged"),
        ]
        try await withTemporaryDirectory { directory in
            for (index, (tail, verdict)) in tails.enumerated() {
                try memory.replace(log, with: bytes + tail)
                #expect(Self.verdict(of: memory) == verdict)
                let path = try copy(memory, to: directory + "/\(index)")
                let run = try PythonReader(["verify", path])
                #expect(run.output.hasSuffix("\(path) is \(verdict)\n"), "\(run.output)\(run.talk)")
            }
        }
    }

    /// It would be a long row of the list.
    @Test(.enabled(if: PythonReader.isInstalled, "python3, 3.8 or newer, is not installed"))
    func `both readers refuse a page with leads longer than one may be`() async throws {
        var damaged = try DamagedStore(golden: "library")
        // Leads of the tree end with their first zero. Behind the groups, a prefix without one.
        let prefix = Array(repeating: "61", count: 250).joined(separator: " ")
        try damaged.apply("snapshot 2: set 3006 fa 00 00 02; set 300c fa 02; set 3200 \(prefix); seal")
        let memory = try damagedStore(damaged)
        let findings = try Verifier.verify(at: "Damaged", fileSystem: memory).treeFindings.map(\.damage)
        #expect(findings.map(\.finding) == ["the lead of group 0 is longer than one may be"])
        #expect(findings.map(\.byteOffset) == [0x3000])
        try await withTemporaryDirectory { directory in
            let run = try PythonReader(["verify", copy(memory, to: directory + "/0")])
            #expect(run.output.contains("byte \(0x3000): "), "\(run.output)\(run.talk)")
        }
    }

    private static func verdict(of fileSystem: MemoryFileSystem) -> String {
        guard let report = try? Verifier.verify(at: "Damaged", fileSystem: fileSystem) else { return "refused" }
        guard report.isSound else { return "damaged" }
        return "sound" + (report.tornByteCount > 0 ? ", with a torn tail" : "")
    }

    /// Puts a store onto the disk, where the reader in Python finds it.
    private func copy(_ memory: MemoryFileSystem, to path: String) throws -> String {
        let fileSystem = PosixFileSystem()
        try fileSystem.createDirectory(path, sharing: .owner)
        for name in try memory.names(inDirectory: "Damaged") {
            try fileSystem.replace(path + "/" + name, with: memory.bytes(of: "Damaged/" + name))
        }
        return path
    }

    /// A rescue that a power cut ended: the segment before, which could not be flushed, is torn, and the one it began waits for
    /// a snapshot. The verifier once called the torn bytes damage.
    @Test func `a torn segment may be followed by one that waits for its snapshot`() async throws {
        var damaged = try DamagedStore(golden: "branches")
        try damaged.apply("log 2: cut 1030")
        try damaged.apply("log 3: cut 40; set 34 03; sum 0 3c")
        let fileSystem = try damagedStore(damaged)
        let report = try Verifier.verify(at: "Damaged", fileSystem: fileSystem)
        // What is left of the closing mark, and the gap before it.
        let tornByteCount = 4096 + 40 - 1512
        #expect(report.isSound && report.tornByteCount == tornByteCount)
        let database = try Database.open(at: "Damaged", trees: [], fileSystem: fileSystem)
        #expect(database.version.commitNumber == 2 && database.opening.tornByteCount == tornByteCount)
        try await database.close()
        #expect(try Verifier.verify(at: "Damaged", fileSystem: fileSystem).isSound)
    }

    @Test(arguments: DamageCase.all.filter { $0.store == "small" })
    func `a damaged store is dumped to the end`(damage: DamageCase) throws {
        let fileSystem = MemoryFileSystem()
        try damage.make(fileSystem, "Damaged")
        try dumpEverything(fileSystem)
    }

    @Test func `a random change, with checksums that fit it or not, is dumped to the end`() throws {
        var generator = SeededGenerator.forTest(fallback: 11)
        for _ in 0..<60 { try dumpEverything(damagedStore(Self.randomChange(&generator))) }
    }

    /// A change of the golden store `small`.
    private static func randomChange(_ generator: inout SeededGenerator) -> String {
        // A head, a commit, and on the next page the closing mark.
        let logOffsets = Array(0..<170) + Array(4090..<4160)
        let isLog = Int.random(in: 0..<4, using: &generator) == 0
        var change = isLog ? "log 2: " : "snapshot 2: "
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            // Of a page's bytes, the first are the ones with meaning.
            let page = Int.random(in: 0..<4, using: &generator) * 0x1000
            let offset =
                isLog ? logOffsets.randomElement(using: &generator)! : page + .random(in: 0..<0xC0, using: &generator)
            let byte = UInt8.random(in: 0...255, using: &generator)
            change += "set \(String(offset, radix: 16)) \(String(byte, radix: 16)); "
        }
        let cut = "cut \(String(logOffsets.randomElement(using: &generator)!, radix: 16))"
        return change + (["seal", "sums", cut, "append 01"].randomElement(using: &generator) ?? "")
    }

    private func damagedStore(_ change: String) throws -> MemoryFileSystem {
        var damaged = try DamagedStore(golden: "small")
        try damaged.apply(change)
        return try damagedStore(damaged)
    }

    private func damagedStore(_ damaged: DamagedStore) throws -> MemoryFileSystem {
        let fileSystem = MemoryFileSystem()
        fileSystem.createDirectory("Damaged")
        for (file, bytes) in damaged.files { try fileSystem.replace("Damaged/" + file, with: bytes) }
        return fileSystem
    }

    private func dumpEverything(_ fileSystem: MemoryFileSystem) throws {
        for name in try fileSystem.names(inDirectory: "Damaged") {
            #expect(try !FileDump.lines(of: "Damaged/" + name, fileSystem: fileSystem).isEmpty)
        }
        let dump = try StoreDump(at: "Damaged", fileSystem: fileSystem)
        _ = try dump.header { _ in }
        _ = try dump.log(commit: nil) { _ in }
        for page in 0..<6 { _ = try dump.page(page) { _ in } }
        for tree in ["1", "texts"] {
            _ = try dump.node(tree, level: nil, index: nil) { _ in }
            _ = try dump.node(tree, level: 0, index: 0) { _ in }
        }
        _ = try dump.lookUp(Array("emma".utf8), in: TreeNumber(1))
        _ = try dump.lookUp([0, 0, 0, 0, 0, 0, 0, 1], in: TreeNumber(2))
        _ = try dump.logMisfits()
    }
}

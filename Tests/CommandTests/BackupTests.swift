import Foundation
import Testing

@Suite struct BackupTests {
    private let folder: TemporaryFolder
    private let library: String
    private let backup: String

    init() throws {
        folder = try TemporaryFolder()
        library = folder.path("L.bookdb")
        backup = folder.path("Backup")
        #expect(try CommandRun("seed", library, "--works", "300").status == 0)
    }

    private func export(_ library: String) throws -> String {
        try CommandRun("export", library, "--format", "jsonl").output
    }

    @Test func `a library that is backed up and restored holds the same`() throws {
        let run = try CommandRun("backup", library, backup, "--json")
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("{\"schema\":\"bookdb.backup/1\""))
        #expect(try run.document()["added"] as? Bool == false)
        let again = try CommandRun("backup", library, backup)
        #expect(again.status == 0 && again.output.contains("verified") && again.output.contains("added"))
        let copy = folder.path("R.bookdb")
        let plan = try CommandRun("restore", backup, copy, "-n")
        #expect(plan.status == 0 && plan.output.contains("Would make") && plan.output.contains("Nothing was changed."))
        #expect(!FileManager.default.fileExists(atPath: copy))
        let document = try CommandRun("restore", backup, copy, "-n", "--json").document()
        #expect(document["schema"] as? String == "bookdb.restore/1")
        #expect((document["reaches"] as? [[String: Any]])?.isEmpty == false)
        let restore = try CommandRun("restore", backup, copy)
        #expect(restore.status == 0 && restore.output.contains("is commit"), "\(restore.talk)")
        #expect(try export(copy) == export(library))
        #expect(try CommandRun("verify", copy).status == 0)
        // It is another library than the backups are of, and who restores it hears of that.
        #expect(restore.talk.contains("bookdb backup \(copy) NEW"), "\(restore.talk)")
        #expect(try CommandRun("backup", copy, backup).status != 0)
        #expect(try CommandRun("backup", copy, folder.path("New")).status == 0)
    }

    @Test func `one file does as well, and is not overwritten`() throws {
        #expect(try CommandRun("backup", library, backup, "--single-file").status == 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: backup)
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
        #expect(try CommandRun("backup", library, backup, "--single-file").status == 73)
        let copy = folder.path("R.bookdb")
        #expect(try CommandRun("restore", backup, copy).status == 0)
        #expect(try export(copy) == export(library))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == [
                "Backup", "L.bookdb", "R.bookdb",
            ])
    }

    @Test func `a segment of more increments than a process may have open is restored`() throws {
        for number in 0..<20 {
            let table = Data("title,author\nBook \(number) of many,Somebody\n".utf8)
            #expect(try CommandRun("import", library, "-", input: table).status == 0)
            #expect(try CommandRun("backup", library, backup).status == 0)
        }
        let parts = try FileManager.default.contentsOfDirectory(atPath: backup).filter { $0.hasPrefix("log-") }
        #expect(parts.count >= 20)
        let copy = folder.path("R.bookdb")
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = [
            "-c", "ulimit -n 16; exec \"$0\" restore \"$1\" \"$2\"", BuiltCommand.url.path, backup, copy,
        ]
        shell.standardOutput = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        #expect(try export(copy) == export(library))
    }

    @Test func `a backup within a library is refused, and the next step names it as a shell reads it`() throws {
        let spaced = folder.path("My Books'.bookdb")
        let seed = try CommandRun("seed", spaced, "--works", "3")
        #expect(seed.status == 0)
        let quoted =
            "'" + spaced.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
        #expect(seed.talk.contains("→ bookdb ls \(quoted)"), "\(seed.talk)")
        let refused = try CommandRun("backup", spaced, spaced + "/b", "--single-file")
        #expect(refused.status != 0 && refused.talk.contains("is a store"), "\(refused.talk)")
        #expect(!FileManager.default.fileExists(atPath: spaced + "/b.tmp"))
    }

    @Test func `a library that exists is replaced only by its name`() throws {
        #expect(try CommandRun("backup", library, backup).status == 0)
        let before = try export(library)
        #expect(try CommandRun("seed", folder.path("Other.bookdb"), "--works", "5").status == 0)
        let other = try export(folder.path("Other.bookdb"))
        let refused = try CommandRun("restore", backup, folder.path("Other.bookdb"))
        #expect(refused.status == 73 && refused.talk.contains("--confirm Other.bookdb"))
        #expect(try export(folder.path("Other.bookdb")) == other)
        let run = try CommandRun("restore", backup, folder.path("Other.bookdb"), "--confirm", "Other.bookdb")
        #expect(run.status == 0, "\(run.talk)")
        #expect(try export(folder.path("Other.bookdb")) == before)
    }

    /// A later opening replaced a library of which the command had said that it was as it was.
    @Test func `a restore that no opening could carry out is taken back`() throws {
        #expect(try CommandRun("backup", library, backup).status == 0)
        let other = folder.path("Other.bookdb")
        #expect(try CommandRun("seed", other, "--works", "5").status == 0)
        let before = try export(other)
        // Something else has the name of the lock, so nobody opens it for writing.
        try FileManager.default.removeItem(atPath: other + "/lock")
        try FileManager.default.createDirectory(atPath: other + "/lock", withIntermediateDirectories: false)
        let failed = try CommandRun("restore", backup, other, "--confirm", "Other.bookdb")
        #expect(failed.status != 0 && !failed.talk.contains("could not be taken back"), "\(failed.talk)")
        let names = try FileManager.default.contentsOfDirectory(atPath: other)
        #expect(!names.contains { $0 == "restore" || $0.hasPrefix("staged-") }, "\(names)")
        try FileManager.default.removeItem(atPath: other + "/lock")
        #expect(try CommandRun("compact", other).status == 0)
        #expect(try export(other) == before)
    }

    /// It said that a library exists, of which `ls` said that there is none.
    @Test func `what a killed restore has left is no library that another would replace`() throws {
        #expect(try CommandRun("backup", library, backup).status == 0)
        let copy = folder.path("R.bookdb")
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
        _ = try folder.file("R.bookdb/snapshot-0000000000000002.tmp", "half of one")
        _ = try folder.file("R.bookdb/.DS_Store", "")
        #expect(try CommandRun("ls", copy).status == 66)
        #expect(try CommandRun("restore", backup, copy, "-n").output.contains("Would make"))
        let run = try CommandRun("restore", backup, copy)
        #expect(run.status == 0, "\(run.talk)")
        #expect(try export(copy) == export(library))
        let other = folder.path("Other")
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        _ = try folder.file("Other/letter.tmp", "somebody's")
        #expect(try CommandRun("restore", backup, other).status == 73)
    }

    @Test func `a backup that does not reach so far, is damaged or is none says so`() throws {
        #expect(try CommandRun("backup", library, backup).status == 0)
        let copy = folder.path("R.bookdb")
        let far = try CommandRun("restore", backup, copy, "--commit", "99999")
        #expect(
            far.status == 65 && far.talk.contains("It can restore") || far.talk.contains("it can restore"),
            "\(far.talk)")
        #expect(try CommandRun("restore", backup, copy, "--time", "2001-01-01").status == 65)
        #expect(try CommandRun("restore", backup, copy, "--time", "7").status == 64)
        #expect(try CommandRun("restore", folder.path("Nothing"), copy).status == 66)
        #expect(try CommandRun("restore", library, copy).status == 65)
        #expect(try CommandRun("backup", folder.path("Nothing"), backup).status == 66)
        #expect(try CommandRun("backup", library, library).status == 73)
        // A stretch that holds only a closing mark is not needed, so the one with the commits.
        let part = try #require(
            try FileManager.default.contentsOfDirectory(atPath: backup).first { $0.contains("-0-") })
        var bytes = try Data(contentsOf: URL(fileURLWithPath: "\(backup)/\(part)"))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(fileURLWithPath: "\(backup)/\(part)"))
        let damaged = try CommandRun("restore", backup, copy)
        #expect(damaged.status == 65 && damaged.talk.contains("damaged"))
        #expect(!FileManager.default.fileExists(atPath: copy))
    }
}

import Foundation
import Testing

/// What the command says of libraries with files that are missing, empty or cut, and of what is not a file at all.
@Suite struct HonestToolsTests {
    private let folder: TemporaryFolder
    private let sound: String

    /// A library with a snapshot and some commits in its log.
    init() throws {
        folder = try TemporaryFolder()
        sound = folder.path("L.bookdb")
        #expect(try CommandRun("seed", sound, "--works", "60").status == 0)
        #expect(try CommandRun("compact", sound).status == 0)
        let file = try folder.file("books.csv", SampleFiles.goodreads(rows: 20))
        #expect(try CommandRun("import", sound, file).status == 0)
    }

    private func newest(_ prefix: String, in library: String) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: library).filter { $0.hasPrefix(prefix) }
        return try "\(library)/\(#require(names.max()))"
    }

    /// A copy of the library without the rest of a file; `nil` for all of it.
    private func cut(_ prefix: String, to length: Int?) throws -> (library: String, file: String) {
        let library = folder.path("\(UUID()).bookdb")
        try FileManager.default.copyItem(atPath: sound, toPath: library)
        let file = try newest(prefix, in: library)
        if let length {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            try bytes.prefix(length).write(to: URL(fileURLWithPath: file))
        } else {
            try FileManager.default.removeItem(atPath: file)
        }
        return (library, file)
    }

    // MARK: Cut files

    private static let commands = [
        ["ls"], ["search", "book"], ["export", "--format", "jsonl"], ["inspect"], ["inspect", "--json"], ["verify"],
        ["repair", "-n"], ["reindex", "-n"], ["compact", "-n"], ["dump", "header"], ["dump", "page", "1"],
        ["dump", "node", "title"], ["dump", "log"], ["dump", "record", "000001-1"], ["log"],
        ["log", "--changes", "--json"],
    ]

    @Test func `a cut file ends no command by a signal, and none calls it whole`() throws {
        let cuts: [(prefix: String, lengths: [Int?])] = [
            ("snapshot-", [nil, 0, 100, 4096, 5000]), ("log-", [nil, 0, 40, 64, 200]),
        ]
        for (prefix, length) in cuts.flatMap({ cut in cut.lengths.map { (cut.prefix, $0) } }) {
            let (library, _) = try cut(prefix, to: length)
            for words in Self.commands {
                let run = try CommandRun(arguments: [words[0], library] + words.dropFirst())
                let what: Comment =
                    "\(prefix) \(length ?? -1), \(words) ends with \(run.status): \(run.output)\(run.talk)"
                #expect(!run.wasKilled && run.status != 70, what)
                switch words[0] {
                case "verify", "inspect", "repair":
                    #expect(run.status != 0, what)
                    for claim in ["Every record", "is sound.", "Heads are sound"] {
                        #expect(!run.output.contains(claim), what)
                    }
                case "ls", "search", "export":
                    // What can be shown of it is shown, with a word about the rest.
                    #expect(run.status != 0 || run.talk.contains("is damaged"), what)
                default: break
                }
            }
        }
    }

    @Test func `a library without the whole of its search file finds the same`() throws {
        let library = folder.path("F.bookdb")
        #expect(try CommandRun("seed", library, "--works", "520").status == 0)
        #expect(try CommandRun("compact", library).status == 0)
        let file = URL(fileURLWithPath: try newest("search-", in: library))
        let bytes = try Data(contentsOf: file)
        let found = try CommandRun("search", library, "the").output
        for length in [4096, 100, 0] {
            try bytes.prefix(length).write(to: file)
            #expect(try CommandRun("search", library, "the").output == found)
            #expect(try CommandRun("verify", library).status == 0)
        }
        try FileManager.default.removeItem(at: file)
        #expect(try CommandRun("search", library, "the").output == found && !found.isEmpty)
    }

    @Test(arguments: [nil, 0] as [Int?])
    func `repair of a library without its log saves the snapshot, names the log and ends with 1`(length: Int?) throws {
        let (library, file) = try cut("log-", to: length)
        let name = try #require(file.split(separator: "/").last)
        let finding = length == nil ? "the segment is missing" : "the file is empty"
        let ending = length == nil ? "is missing" : "is empty"
        let run = try CommandRun("repair", library, "-o", folder.path("S"), "--lost", folder.path("lost"))
        #expect(run.status == 1)
        #expect(run.output.contains("and nothing says how much") && run.output.contains(String(name)))
        #expect(run.output.contains(finding) && !run.output.contains("Every record"))
        #expect(try String(contentsOfFile: folder.path("lost"), encoding: .utf8).contains("\"to\":null"))
        let document = try CommandRun("repair", library, "-n", "--json").document()
        #expect(document["complete"] as? Bool == false)
        #expect((document["lostEnd"] as? [String: Any])?["finding"] as? String == finding)
        for command in ["verify", "inspect"] {
            let run = try CommandRun(command, library)
            #expect(run.status != 0 && (run.output + run.talk).contains(String(name)))
            #expect((run.output + run.talk).contains(ending))
        }
    }

    @Test func `repair that finds nothing to save ends with 65 and names the missing file`() throws {
        let library = folder.path("E.bookdb")
        let file = try folder.file("one.csv", SampleFiles.goodreads(rows: 1))
        #expect(try CommandRun("import", library, file).status == 0)
        let log = try newest("log-", in: library)
        try FileManager.default.removeItem(atPath: log)
        for arguments in [["-n"], ["-n", "--json"], ["-o", folder.path("S")]] {
            let run = try CommandRun(arguments: ["repair", library] + arguments)
            #expect(run.status == 65 && run.output.isEmpty)
            #expect(run.talk.contains("nothing to save") && run.talk.contains(log))
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("S")))
        #expect(!FileManager.default.fileExists(atPath: folder.path("S.unfinished")))
    }

    /// "lost 1" stood above a list of 55, of which 54 had been made anew.
    @Test func `repair lists as many records as lost, and as made anew, as its table counts`() throws {
        let library = folder.path("D.bookdb")
        try FileManager.default.copyItem(atPath: sound, toPath: library)
        let snapshot = URL(fileURLWithPath: try newest("snapshot-", in: library))
        var bytes = try Data(contentsOf: snapshot)
        for page in stride(from: 3, to: bytes.count / 4096 - 1, by: 5) { bytes[page * 4096 + 33] ^= 1 }
        try bytes.write(to: snapshot)
        let lost = folder.path("lost.jsonl")
        let run = try CommandRun("repair", library, "-o", folder.path("S.bookdb"), "--lost", lost)
        let document = try CommandRun("repair", library, "-n", "--json").document()
        let records = try #require(document["records"] as? [String: [String: Any]])
        let items = try String(contentsOfFile: lost, encoding: .utf8).split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        for (list, title, isMadeAnew) in [("lost", "LOST", false), ("madeAnew", "MADE ANEW", true)] {
            let listed = try #require(document[list] as? [[String: Any]])
            let unnamed = isMadeAnew ? 0 : records.values.reduce(0) { $0 + ($1["unnamed"] as? Int ?? 0) }
            let counted = records.values.reduce(0) { $0 + ($1[list] as? Int ?? 0) }
            // Beside records, how the library files letters.
            let ofRecords = listed.count { $0["kind"] as? String != "library" }
            #expect(ofRecords + unnamed == counted && counted > 0, "\(list)")
            #expect(items.count { $0["madeAnew"] as? Bool == isMadeAnew } == listed.count)
            #expect(listed.allSatisfy { $0["madeAnew"] as? Bool == isMadeAnew })
            let lines = run.output.components(separatedBy: "\n")
            let start = try #require(lines.firstIndex { $0.hasPrefix(title) })
            let rest = lines[start + 1 + min(listed.count, 8)]
            #expect(rest.contains("and \(listed.count - 8) more") == (listed.count > 8))
        }
    }

    @Test func `inspect says what it looked at`() throws {
        let run = try CommandRun("inspect", sound)
        #expect(run.status == 0 && run.output.contains("pages were not read") && !run.output.contains("good shape"))
        let document = try CommandRun("inspect", sound, "--json").document()
        #expect(document["checked"] as? [String] == ["heads", "log"])
        #expect(document["verdict"] as? String == "nothingFound" && (document["damage"] as? [String])?.isEmpty == true)
        // Of a damaged leaf and a damaged copy of the superblock, it finds the second.
        let snapshot = URL(fileURLWithPath: try newest("snapshot-", in: sound))
        var bytes = try Data(contentsOf: snapshot)
        let leaf = try (1..<bytes.count / 4096 - 1).first { page in
            bytes[page * 4096 + 33] ^= 1
            try bytes.write(to: snapshot)
            let run = try CommandRun("inspect", sound)
            if run.status == 0, try CommandRun("verify", sound).status == 1 {
                return run.output.contains("pages were not read")
            }
            bytes[page * 4096 + 33] ^= 1
            return false
        }
        #expect(leaf != nil)
        bytes[bytes.count - 100] ^= 1
        try bytes.write(to: snapshot)
        let damaged = try CommandRun("inspect", sound)
        #expect(damaged.status == 1 && damaged.output.contains("the copy of the superblock cannot be read"))
    }

    // MARK: Beginnings and what others leave

    @Test func `a repair that is killed is started over by the next one`() throws {
        let process = Process()
        process.executableURL = BuiltCommand.url
        process.arguments = ["repair", sound, "-o", folder.path("S.bookdb")]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let unfinished = folder.path("S.bookdb.unfinished")
        while process.isRunning, !FileManager.default.fileExists(atPath: unfinished + "/lock") {}
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        // Where the repair was quicker than the kill there is nothing to start over.
        try? FileManager.default.removeItem(atPath: folder.path("S.bookdb"))
        let run = try CommandRun("repair", sound, "-o", folder.path("S.bookdb"))
        #expect(run.status == 0, "\(run.talk)")
        #expect(!FileManager.default.fileExists(atPath: unfinished))
        #expect(try CommandRun("verify", folder.path("S.bookdb")).status == 0)
    }

    @Test func `a library begins in a folder that holds hidden files only`() throws {
        let library = folder.path("H.bookdb")
        try FileManager.default.createDirectory(atPath: library, withIntermediateDirectories: true)
        _ = try folder.file("H.bookdb/.DS_Store", "")
        #expect(try CommandRun("ls", library).status == 66, "nothing is there yet")
        #expect(try CommandRun("import", library, folder.path("books.csv")).status == 0)
        #expect(try CommandRun("verify", library).status == 0)
    }

    @Test func `a pipe or a link in the place of a file ends with 65 and is named`() throws {
        for prefix in ["snapshot-", "log-"] {
            let (library, file) = try cut(prefix, to: nil)
            #expect(mkfifo(file, 0o600) == 0)
            for command in ["ls", "inspect", "verify", "compact"] {
                let run = try CommandRun(command, library)
                #expect(run.status == 65 && run.talk.contains("\(file) is a named pipe"), "\(command): \(run.talk)")
            }
            #expect(try CommandRun("repair", library, "-n").talk.contains("\(file) is a named pipe"))
        }
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let run = try CommandRun("ls", folder.path("pipe"))
        #expect(run.status == 65 && run.talk.contains("it is a named pipe"))
    }

    // MARK: Permissions

    @Test func `inspect names the command that keeps others from reading a library`() throws {
        #expect(try CommandRun("inspect", sound, "--json").document()["readers"] as? String == "owner")
        #expect(try !CommandRun("inspect", sound).output.contains("chmod"))
        let library = folder.path("O.bookdb")
        try FileManager.default.createDirectory(
            atPath: library, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        #expect(try CommandRun("import", library, folder.path("books.csv")).status == 0)
        let run = try CommandRun("inspect", library)
        #expect(run.status == 0 && run.output.contains("→ chmod -R go-rwx \(library)  "))
        let document = try CommandRun("inspect", library, "--json").document()
        #expect(document["readers"] as? String == "everyone")
        #expect(document["permissions"] as? String == "chmod -R go-rwx \(library)")
    }

    @Test func `what is written from a library is for nobody who may not read the library`() throws {
        func permissions(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try CommandRun("export", sound, "--format", "jsonl", "-o", folder.path("private")).status == 0)
        #expect(try permissions(folder.path("private")) == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: sound)
        #expect(try CommandRun("export", sound, "--format", "jsonl", "-o", folder.path("open")).status == 0)
        let usual = try permissions(folder.file("usual", ""))
        #expect(try permissions(folder.path("open")) == usual.map { $0 & 0o755 })
    }
}

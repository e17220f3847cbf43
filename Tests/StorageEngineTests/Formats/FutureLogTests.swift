import Testing

@testable import StorageEngine

/// Logs as a later version may write them, made by hand: this version reads them right, or says that it cannot.
@Suite struct FutureLogTests {
    private static let log = LogRecoveryTests.log

    /// One of every kind that may be ignored.
    private static let legible = [
        FutureFrame.noted(10..<12),
        FutureFrame(payload: FutureFrame.note(90, [1, 2, 3])),
        {
            var frame = FutureFrame.noted(12..<20)
            frame.trailer = [UInt8](repeating: 0xA5, count: 16)
            frame.compatible = 0xFF
            return frame
        }(),
        {
            var frame = FutureFrame.noted(20..<40)
            frame.isCompressed = true
            frame.trailer = Array(1...16)
            return frame
        }(),
    ]

    private func expectNumbers(_ range: Range<Int>, in version: Version) throws {
        #expect(try version.count(in: numbers) == range.count)
        for number in range {
            let value = try version.value(forKey: UInt64(number), in: numbers) { $0.copyBytes(0..<$0.byteCount) }
            #expect(value == Array("value \(number)".utf8))
        }
    }

    @Test func `a log with notes, trailers and features that may be ignored is read, verified and salvaged`()
        async throws
    {
        let (disk, _) = try await MemoryFileSystem.store(with: Self.legible)
        let before = try disk.contents()
        let report = try Verifier.verify(at: "A", fileSystem: disk)
        #expect(report.isSound && report.commitNumber == 5, "\(report.damage)")
        let reading = try Database.open(
            at: "A", trees: numberTrees, options: Options(access: .readOnly), fileSystem: disk)
        #expect(reading.opening.damage == nil && reading.opening.replayedCommits == 5)
        try expectNumbers(0..<40, in: reading.version)
        let salvage = try Salvage(at: "A", fileSystem: disk)
        #expect(salvage.report.isWhole && salvage.report.missingCommits.isEmpty)
        #expect(try salvage.contents([numbers]).numbers(in: numbers) == Set(0..<40))
        #expect(try disk.contents() == before)
    }

    @Test func `it is written to, and what recovery writes again keeps notes and trailers byte for byte`() async throws
    {
        let (disk, _) = try await MemoryFileSystem.store(with: Self.legible)
        let before = try disk.bytes(of: Self.log)
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: disk)
        #expect(database.opening.tornByteCount == 0)
        try await database.put(40..<50)
        try await database.close()
        #expect(try disk.bytes(of: Self.log).starts(with: before))
        #expect(try Verifier.verify(at: "A", fileSystem: disk).isSound)
        let again = try Database.open(at: "A", trees: numberTrees, fileSystem: disk)
        try expectNumbers(0..<50, in: again.version)
        try await again.close()
    }

    @Test func `a compaction leaves the operations and drops the notes`() async throws {
        let (disk, _) = try await MemoryFileSystem.store(with: Self.legible)
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: disk)
        try await database.compact()
        try await database.close()
        #expect(try disk.names(inDirectory: "A").contains("log-0000000000000001") == false)
        #expect(try Verifier.verify(at: "A", fileSystem: disk).isSound)
        let again = try Database.open(at: "A", trees: numberTrees, fileSystem: disk)
        try expectNumbers(0..<40, in: again.version)
        try await again.close()
    }

    @Test func `a dump shows notes, trailers and features`() async throws {
        let (disk, _) = try await MemoryFileSystem.store(with: Self.legible)
        let lines = try FileDump.lines(of: Self.log, fileSystem: disk)
        #expect(lines.contains("  note 64, 21 bytes \"what was there before\""))
        #expect(lines.contains { $0.hasSuffix("trailer bytes 16") })
        #expect(lines.contains { $0.hasSuffix(" compatible features 255") })
        #expect(!lines.contains { $0.hasPrefix("✗") })
    }

    // MARK: What cannot be read

    @Test func `a frame with a feature that has to be known is refused by name, by all, and nothing is changed`()
        async throws
    {
        var frame = FutureFrame.noted(10..<20)
        frame.incompatible = 0x8001
        // What it holds may be anything, such as encrypted.
        frame.payload = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let (disk, _) = try await MemoryFileSystem.store(with: [.noted(10..<12), frame, .noted(20..<22)])
        let before = try disk.contents()
        let expected = StorageError.unknownFeatures(path: Self.log, bits: 0x8001, canBeRead: false)
        #expect(throws: expected) { try Database.open(at: "A", trees: numberTrees, fileSystem: disk) }
        #expect(throws: expected) {
            try Database.open(at: "A", trees: numberTrees, options: Options(access: .readOnly), fileSystem: disk)
        }
        #expect(throws: expected) { try Verifier.verify(at: "A", fileSystem: disk) }
        #expect(throws: expected) { try Salvage(at: "A", fileSystem: disk) }
        #expect("\(expected)".contains(Self.log) && "\(expected)".contains("Update BookDB"))
        let lines = try FileDump.lines(of: Self.log, fileSystem: disk)
        #expect(lines.contains("✗ the payload has features that are not known here, 00008001"))
        #expect(try disk.contents() == before)
    }

    @Test func `features of frames that the snapshot holds already decide nothing`() async throws {
        var frame = FutureFrame.noted(10..<20)
        frame.incompatible = 1
        let (disk, _) = try await MemoryFileSystem.store(with: [frame])
        let path = "A/snapshot-0000000000000001"
        var forged = ForgedSnapshot(try disk.bytes(of: path))
        forged.changeSuperblocks { $0.store(UInt64(2), at: 40) }
        try disk.replace(path, with: forged.bytes)
        #expect(try Verifier.verify(at: "A", fileSystem: disk).isSound)
        #expect(try Salvage(at: "A", fileSystem: disk).report.isWhole)
        let database = try Database.open(at: "A", trees: numberTrees, fileSystem: disk)
        try await database.put(20..<21)
        try await database.close()
    }

    // MARK: Rot

    /// Whether a note or a feature is there is covered by the frame's checksum: no bit that rots makes a commit of other operations, and none
    /// makes a log that is damaged into one of a later version.
    @Test func `no rotten bit of a frame makes a note, a feature or a trailer, or takes one away`() async throws {
        var first = FutureFrame.noted(10..<12)
        (first.trailer, first.compatible) = ([7, 7, 7, 7], 1)
        let (disk, starts) = try await MemoryFileSystem.store(with: [first, .noted(12..<13)])
        let bytes = try disk.bytes(of: Self.log)
        let stored = Int(bytes.load(LogFrameField.storedCount, at: starts[0]))
        for place in starts[0]..<starts[0] + LogFrameFormat.headerByteCount + stored {
            for bit in 0..<8 {
                var rotten = bytes
                rotten[place] ^= 1 << bit
                try disk.replace(Self.log, with: rotten)
                let error = #expect(throws: StorageError.self) {
                    try Database.open(at: "A", trees: numberTrees, fileSystem: disk)
                }
                #expect(error?.damage?.byteOffset == starts[0], "byte \(place), bit \(bit)")
                #expect(try Verifier.verify(at: "A", fileSystem: disk).damage.count == 1)
            }
        }
    }

    @Test(arguments: [UInt8(0), 5, 63, 128, 255])
    func `a code that is neither an operation's nor a note's is damage`(code: UInt8) async throws {
        let (disk, starts) = try await MemoryFileSystem.store(with: [
            FutureFrame(payload: FutureFrame.note(code, [1, 2, 3]))
        ])
        let report = try Verifier.verify(at: "A", fileSystem: disk)
        #expect(report.damage.map(\.byteOffset) == starts)
        #expect(throws: StorageError.self) { try Database.open(at: "A", trees: numberTrees, fileSystem: disk) }
    }

    @Test func `a note that is longer than its payload, and a trailer longer than what is stored, are damage`()
        async throws
    {
        var long = FutureFrame(payload: FutureFrame.note(64, [1, 2, 3]))
        long.payload[1] = 4
        let headless = FutureFrame(payload: [64, 0, 0, 0])
        for frame in [long, headless] {
            let (disk, starts) = try await MemoryFileSystem.store(with: [frame])
            let report = try Verifier.verify(at: "A", fileSystem: disk)
            #expect(
                report.damage.map(\.byteOffset) == starts && report.damage[0].finding == "commit 2 holds no operations")
        }
    }

    @Test(.enabled(if: PythonReader.isInstalled, "python3, 3.8 or newer, is not installed"))
    func `the reader in Python reads it alike, and refuses alike`() async throws {
        let (disk, _) = try await MemoryFileSystem.store(with: Self.legible)
        try await withTemporaryDirectory { directory in
            try disk.write(to: directory + "/legible")
            let verified = try PythonReader(["verify", directory + "/legible"])
            #expect(verified.status == 0, "\(verified.output)\(verified.talk)")
            let listed = try PythonReader(["list", directory + "/legible"])
            #expect(listed.output.split(separator: "\n").count == 40)
            let dumped = try PythonReader(["dump", directory + "/legible/log-0000000000000001"])
            #expect(
                dumped.output == (try FileDump.lines(of: Self.log, fileSystem: disk)).joined(separator: "\n") + "\n")
        }
        var frame = FutureFrame.noted(10..<20)
        frame.incompatible = 4
        let (refused, _) = try await MemoryFileSystem.store(with: [frame])
        try await withTemporaryDirectory { directory in
            try refused.write(to: directory + "/refused")
            let run = try PythonReader(["verify", directory + "/refused"])
            #expect(run.status == 65 && run.output.contains("features of a newer BookDB, 00000004"), "\(run.output)")
            #expect(try PythonReader(["list", directory + "/refused"]).status == 65)
        }
    }
}

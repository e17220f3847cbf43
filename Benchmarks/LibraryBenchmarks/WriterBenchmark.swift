import Foundation
import StorageEngine

/// What the writer costs where things go wrong: commits in memory behind a log that cannot be written, writes that are refused, and
/// closings beside a thread that begins other processes.
///
///     swift run -c release LibraryBenchmarks FOLDER --maintenance WORKS
struct WriterBenchmark {
    let path: String
    private let numbers = TreeDeclaration(TreeNumber(1), "numbers")

    func run() async throws {
        try await commitBehindFullDisk()
        try await refuse()
        try await closeAndOpenAgain()
    }

    private func open(_ disk: any FileSystem) throws -> Database {
        try Database.open(at: path, trees: [numbers], options: Options(compaction: .manual), fileSystem: disk)
    }

    private func commitBehindFullDisk() async throws {
        let disk = FullDisk()
        let database = try open(disk)
        try await database.write { [numbers] in try $0.put([1], forKey: key(0), in: numbers.number) }
        disk.isFull = true
        var times: [Duration] = []
        for thousand in 0..<60 {
            let start = ContinuousClock.now
            for number in 0..<1000 {
                try await database.write(.memory) { [numbers] in
                    try $0.put([1], forKey: key(UInt64(thousand * 1000 + number)), in: numbers.number)
                }
            }
            times.append(start.duration(to: .now))
        }
        disk.isFull = false
        let waiting = database.status.unwrittenCommitCount
        try await database.close()
        let each = times.map { Row.microseconds(Int($0 / .nanoseconds(1)) / 1000) }
        print(
            "A commit in memory behind a full disk, \(waiting) waiting at the end: the 10th thousand "
                + "\(each[9]) µs each, the 60th \(each[59]) µs")
    }

    /// As a laboratory did it: 39 writes of 8 MiB that do not get onto the disk.
    private func refuse() async throws {
        let disk = FullDisk()
        let database = try open(disk)
        var random = SystemRandomNumberGenerator()
        let value = (0..<8 << 20).map { _ in UInt8.random(in: 0...255, using: &random) }
        disk.isFull = true
        func write() async {
            for part in 0..<39 {
                _ = try? await database.write { [numbers] transaction in
                    for piece in 0..<64 {
                        try transaction.put(
                            Array(value[(piece << 17)..<(piece + 1) << 17]), forKey: key(UInt64(part)),
                            in: numbers.number)
                    }
                }
            }
        }
        await write()
        let before = ProcessMemory.dirtyKilobytes ?? 0
        await write()
        let after = ProcessMemory.dirtyKilobytes ?? 0
        disk.isFull = false
        try? await database.close()
        print("39 refused writes of 8 MiB: \(after - before) KB of dirty memory stay")
    }

    private func closeAndOpenAgain() async throws {
        let spawning = Thread {
            while !Thread.current.isCancelled {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/bin/true")
                guard (try? process.run()) != nil else { return }
                process.waitUntilExit()
            }
        }
        spawning.start()
        var failures = 0
        for _ in 0..<1500 {
            do {
                try await open(PosixFileSystem()).close()
            } catch {
                failures += 1
            }
        }
        spawning.cancel()
        print("1500 closings and openings beside a thread that begins processes: \(failures) failed")
    }
}

private func key(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

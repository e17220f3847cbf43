import Foundation
import StorageEngine
import Synchronization
import TestSupport

/// The processes of a soak, one that follows what they write, and what comes of it.
struct Soak {
    let commitCount: Int
    let processCount: Int
    let killCount: Int
    let seed: UInt64

    /// One process that writes, and what it has told of.
    private final class Writing: @unchecked Sendable {
        // Safe to share because the process is started before anybody else has this, and then only asked, killed and waited for.

        struct State {
            var acknowledged: UInt64 = 0
            var isDone = false
            var findings: [String] = []
        }

        let process = Process()
        private let state = Mutex(State())
        private let isRead = DispatchSemaphore(value: 0)

        /// - Parameter acknowledged: what the one before it had told of when it was killed.
        init(_ number: UInt8, _ commitCount: UInt64, at path: String, seed: UInt64, behind acknowledged: UInt64) throws
        {
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = ["--write", path, "\(number)", "\(commitCount)", "\(seed)"]
            let output = Pipe()
            process.standardOutput = output
            state.withLock { $0.acknowledged = acknowledged }
            try process.run()
            let thread = Thread { [self] in
                var rest = Data()
                while true {
                    let data = output.fileHandleForReading.availableData
                    guard !data.isEmpty else { break }
                    rest += data
                    while let end = rest.firstIndex(of: 10) {
                        take(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                        rest = Data(rest[(end + 1)...])
                    }
                }
                isRead.signal()
            }
            thread.start()
        }

        private func take(_ line: String) {
            let number = line.split(separator: " ").last.flatMap { UInt64($0) } ?? 0
            state.withLock { state in
                if line.hasPrefix("begins ") {
                    if number < state.acknowledged {
                        state.findings.append(
                            "\(state.acknowledged) commits were acknowledged, and \(number) are there")
                    }
                    state.acknowledged = number
                } else if line.hasPrefix("at ") {
                    state.acknowledged = number
                } else if line == "done" {
                    state.isDone = true
                } else {
                    state.findings.append(line)
                }
            }
        }

        var now: State { state.withLock { $0 } }

        /// Returns what it has told of when it has ended.
        func end() -> State {
            process.waitUntilExit()
            isRead.wait()
            return now
        }
    }

    /// Commits as the follower is shown them.
    private final class Followed: Sendable {
        private let state = Mutex((newest: UInt64(0), count: 0, findings: [String]()))

        func take(_ commit: PublishedCommit) {
            let count = try? SoakStore.count(of: SoakStore.all, in: commit.version)
            state.withLock { state in
                if commit.commitNumber <= state.newest {
                    state.findings.append("commit \(commit.commitNumber) is followed behind \(state.newest)")
                }
                if count != commit.version.commitNumber {
                    state.findings.append("commit \(commit.commitNumber) is followed without those before it")
                }
                (state.newest, state.count) = (commit.commitNumber, state.count + 1)
            }
        }

        func note(_ notice: StoreNotice) {
            if case .followingFailed(let error) = notice {
                state.withLock { $0.findings.append("following: \(error)") }
            }
        }

        var now: (newest: UInt64, count: Int, findings: [String]) { state.withLock { $0 } }
    }

    /// - Returns: what must not be.
    func run() async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bookdb-soak-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appendingPathComponent("Store").path
        try await Database.open(at: path, trees: SoakStore.trees, options: SoakStore.options(.shared)).close()
        let followed = Followed()
        var options = SoakStore.options(.readOnly)
        options.onNotice = followed.note
        let follower = try Database.open(at: path, trees: SoakStore.trees, options: options, onPublish: followed.take)

        let start = ContinuousClock.now
        let counts = Dictionary(
            uniqueKeysWithValues: (1...processCount).map { number in
                (UInt8(number), UInt64(commitCount * number / processCount - commitCount * (number - 1) / processCount))
            })
        let (killed, writerFindings) = try await write(counts, at: path)
        await follower.follow()
        let seconds = start.duration(to: .now) / .seconds(1)

        var findings = writerFindings + followed.now.findings
        if let held = Self.heldLocks(at: path), !held.isEmpty { findings.append("locks are held at rest: \(held)") }
        findings += try SoakStore.findings(in: follower.version, counts)
        try await follower.close()
        let report = try Verifier.verify(at: path)
        if !report.isSound { findings.append("verify: \(report.damage) \(report.treeFindings)") }
        let generation = try Database.open(at: path, trees: SoakStore.trees, options: SoakStore.options(.readOnly))
            .version
            .commitNumber
        print(
            "\(generation) commits of \(processCount) processes in \(Int(seconds)) s, \(Int(Double(generation) / seconds)) a second; "
                + "\(killed) kills; \(followed.now.count) of them followed one by one")
        if findings.isEmpty { try FileManager.default.removeItem(at: folder) } else { print("kept: \(path)") }
        return findings
    }

    /// Lets the processes write until each has made its commits, and kills some meanwhile.
    private func write(_ counts: [UInt8: UInt64], at path: String) async throws -> (killed: Int, findings: [String]) {
        var random = SeededGenerator(seed: seed)
        func begin(_ number: UInt8, behind acknowledged: UInt64 = 0) throws -> Writing {
            try Writing(number, counts[number] ?? 0, at: path, seed: random.next() % 1_000_000, behind: acknowledged)
        }
        var writings: [UInt8: Writing] = [:]
        for number in counts.keys.sorted() { writings[number] = try begin(number) }
        var (killed, findings) = (0, [String]())
        while killed < killCount, !writings.values.contains(where: { !$0.now.findings.isEmpty }) {
            try await Task.sleep(for: .milliseconds(Int(random.next() % 300)))
            let number = UInt8(random.next() % UInt64(processCount)) + 1
            guard let writing = writings[number], !writing.now.isDone else {
                if writings.values.allSatisfy(\.now.isDone) { break }
                continue
            }
            kill(writing.process.processIdentifier, SIGKILL)
            let state = writing.end()
            findings += state.findings
            killed += 1
            writings[number] = try begin(number, behind: state.acknowledged)
        }
        for (number, writing) in writings.sorted(by: { $0.key < $1.key }) {
            let state = writing.end()
            findings += state.findings
            if !state.isDone || state.acknowledged != counts[number] {
                findings.append("process \(number) has ended with \(state.acknowledged) of its commits")
            }
        }
        return (killed, findings)
    }

    /// Locks of the store's files, as the system lists them; `nil` where it lists none.
    private static func heldLocks(at path: String) -> [String]? {
        guard let locks = try? String(contentsOfFile: "/proc/locks", encoding: .utf8) else { return nil }
        return ["lock", "turn", "compacting"].filter { name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
            guard let inode = attributes?[.systemFileNumber] as? UInt64 else { return false }
            return locks.contains(":\(inode) ")
        }
    }
}

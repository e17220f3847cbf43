import StorageEngine
import TestSupport

/// A random history of a small store on a recording disk, what it promised at each moment, and the check that a crash at
/// any of them keeps those promises.
///
/// The check: the reopened store equals exactly one of the commits the history made, no older than the newest it had
/// acknowledged as flushed; every invariant holds; `Verifier` finds the files sound before recovery and after; and the store
/// takes a new commit that survives another opening.
public struct CrashHistory {
    static let path = "Store"
    static let hot = TreeNumber(1)
    static let cold = TreeNumber(2)
    static let trees = [
        TreeDeclaration(hot, "hot", facetCount: 2), TreeDeclaration(cold, "cold", placement: .cold),
    ]

    typealias Contents = [String: [UInt8]]

    public let seed: UInt64
    public let disk: RecordingDisk
    /// The contents after each commit; commit 0 is the empty store.
    private var contents: [Contents] = [[:]]
    /// How many operations the disk had seen when each commit was acknowledged as flushed.
    private var flushed: [(operationCount: Int, commit: Int)] = []

    /// What does not hold after a crash.
    public struct Violation: Error, CustomStringConvertible {
        public let description: String
    }

    /// Plays the history: `steps` commits, some durable, some not, some at once; compactions; closings.
    public static func play(seed: UInt64, steps: Int) async throws -> CrashHistory {
        var history = CrashHistory(seed: seed, disk: RecordingDisk(directory: path))
        try await history.run(steps: steps)
        return history
    }

    private init(seed: UInt64, disk: RecordingDisk) {
        self.seed = seed
        self.disk = disk
    }

    private func open(_ fileSystem: any FileSystem) throws -> Database {
        try Database.open(
            at: Self.path, trees: Self.trees,
            options: Options(compaction: .manual, storeIdentifier: Array("crash simulation".utf8)),
            fileSystem: fileSystem)
    }

    private mutating func run(steps: Int) async throws {
        var random = SeededGenerator(seed: seed)
        var database = try open(disk)
        for _ in 0..<steps {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: try await database.compact()
            case 1:
                try await database.close()
                noteFlushed()
                database = try open(disk)
            case 2:
                // Several at once share a flush.
                let batch = (0..<3).map { _ in changes(using: &random) }
                try await write(batch, .flushed, to: database)
            default:
                let durability = [Durability.flushed, .flushed, .ordered, .memory].randomElement(using: &random)!
                try await write([changes(using: &random)], durability, to: database)
            }
        }
        try await database.close()
        noteFlushed()
    }

    private mutating func noteFlushed() { flushed.append((disk.operationCount, contents.count - 1)) }

    private struct Change: Sendable {
        let key: UInt8
        /// `nil` removes.
        let value: [UInt8]?
        let isCold: Bool
    }

    private func changes(using random: inout SeededGenerator) -> [Change] {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in
            let isCold = Bool.random(using: &random)
            let count = isCold ? Int.random(in: 0...300, using: &random) : Int.random(in: 0...20, using: &random)
            let isRemoval = Int.random(in: 0..<4, using: &random) == 0
            let value = (0..<count).map { _ in UInt8.random(in: 0...7, using: &random) }
            return Change(key: .random(in: 0..<24, using: &random), value: isRemoval ? nil : value, isCold: isCold)
        }
    }

    private mutating func write(
        _ batch: [[Change]], _ durability: Durability, to database: Database
    ) async throws {
        // One after the other, so that the order of the commits is known; the last waits for all.
        for (index, changes) in batch.enumerated() {
            let before = database.version.commitNumber
            let isLast = index == batch.count - 1
            try await database.write(isLast ? durability : .memory) { transaction in
                for change in changes {
                    let tree = change.isCold ? Self.cold : Self.hot
                    if let value = change.value {
                        try transaction.put(
                            value, forKey: [change.key],
                            facets: change.isCold ? [] : FacetSet(Facet(Int(change.key) % 2)),
                            in: tree)
                    } else {
                        try transaction.remove([change.key], in: tree)
                    }
                }
            }
            // Removals of what is not there make no commit, and without a commit there is no flush.
            guard database.version.commitNumber > before else { continue }
            contents.append(try Self.contents(of: database.version))
            if isLast, durability == .flushed { noteFlushed() }
        }
    }

    private static func contents(of version: Version) throws -> Contents {
        var contents: Contents = [:]
        for tree in trees {
            try version.scan(tree.number) { key, value in
                contents["\(tree.name) \(key.copyBytes(0..<key.byteCount))"] = value.copyBytes(0..<value.byteCount)
                return true
            }
        }
        return contents
    }

    // MARK: Checking

    /// Reopens what a crash left, on a disk that records again, and gives that disk.
    public func check(_ files: [String: [UInt8]], operationCount: Int) async throws -> RecordingDisk {
        let least = flushed.last { $0.operationCount <= operationCount }?.commit ?? 0
        let crashed = RecordingDisk(directory: Self.path, files: files)
        do {
            try verify(crashed, least: least)
            let database = try open(crashed)
            try compare(database.version, least: least)
            // It goes on: a new commit, and another opening.
            let mark: [UInt8] = [99]
            try await database.write { try $0.put(mark, forKey: [200], in: Self.hot) }
            let expected = try Self.contents(of: database.version)
            try await database.close()
            let reopened = try open(crashed)
            guard try Self.contents(of: reopened.version) == expected else {
                throw Violation(
                    description:
                        "a commit after recovery did not survive: wrote \(database.version.commitNumber) after "
                        + "\(database.opening), found \(reopened.version.commitNumber) after \(reopened.opening) "
                        + "in \(crashed.files.mapValues(\.count)), once \(files.mapValues(\.count))")
            }
            try await reopened.close()
            try verify(crashed, least: 0)
        } catch let error as StorageError {
            throw Violation(description: "\(error)")
        }
        return crashed
    }

    /// A reopened store, as it was found, equals a commit that may be there.
    func compare(_ version: Version, least: Int) throws {
        let commit = Int(version.commitNumber)
        guard commit >= least else {
            throw Violation(description: "commit \(least) was acknowledged as flushed; the store ends with \(commit)")
        }
        guard commit < contents.count else {
            throw Violation(description: "the store ends with commit \(commit), which was never made")
        }
        guard try Self.contents(of: version) == contents[commit] else {
            throw Violation(description: "the store says it ends with commit \(commit), and holds something else")
        }
        let findings = version.invariantFindings()
        guard findings.isEmpty else { throw Violation(description: "\(findings)") }
    }

    private func verify(_ disk: RecordingDisk, least: Int) throws {
        // Before the first snapshot has its name there is no store to verify, and nothing was promised.
        guard disk.files.keys.contains(where: { $0.hasPrefix("snapshot-") && !$0.contains("tmp") }) else {
            guard least == 0 else { throw Violation(description: "the snapshot is gone") }
            return
        }
        let report = try Verifier.verify(at: Self.path, fileSystem: disk)
        guard report.isSound else { throw Violation(description: "verify: \(report.damage) \(report.treeFindings)") }
    }

    /// Checks a crash during the recovery from a crash: nothing was promised since.
    public func checkNested(_ files: [String: [UInt8]], outerOperationCount: Int) throws {
        let least = flushed.last { $0.operationCount <= outerOperationCount }?.commit ?? 0
        let disk = RecordingDisk(directory: Self.path, files: files)
        do {
            let version = try open(disk).version
            let commit = Int(version.commitNumber)
            let found = try Self.contents(of: version)
            // The recovered store, or it with the mark that was written to it.
            let mark = "hot [200]"
            guard commit >= least, found[mark] != nil || (commit < contents.count && found == contents[commit]) else {
                throw Violation(
                    description: "after two crashes the store ends with commit \(commit) and holds something else")
            }
        } catch let error as StorageError {
            throw Violation(description: "after two crashes: \(error)")
        }
    }
}

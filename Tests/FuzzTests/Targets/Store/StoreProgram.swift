import StorageEngine

@testable import CrashSimulation

/// Plays an input as a program for a store on a disk that fails and forgets, and compares with what a dictionary holds.
struct StoreProgram {
    private static let hot = TreeNumber(1)
    private static let cold = TreeNumber(2)
    private static let trees = [
        TreeDeclaration(hot, "hot", facetCount: 2), TreeDeclaration(cold, "cold", placement: .cold),
    ]
    private static let stepLimit = 60

    private var input: ByteReader
    /// What was on the medium when the disk was put in.
    private var medium: [String: [UInt8]] = [:]
    private var disk = FailingDisk(RecordingDisk(directory: StoreFolder.path))
    private var database: Database?
    /// The contents after each commit; commit 0 is the empty store.
    private var commits = [StoreContents()]
    /// A commit that failed, and may be on the disk all the same: the one behind `commits`.
    private var failed: StoreContents?
    /// The newest commit that is on the medium for certain.
    private var flushed = 0
    /// Versions that were read and are held, with what they held.
    private var held: [(version: Version, contents: StoreContents)] = []

    init(_ input: ByteReader) { self.input = input }

    mutating func run() async throws {
        try await open()
        for _ in 0..<Self.stepLimit where !input.isAtEnd { try await step() }
        try cutPower()
        disk.arm(nil)
        try await open()
        try await close()
        disk.arm(nil)
        try await open()
        try checkHeld()
    }

    private mutating func step() async throws {
        switch input.choice(16) {
        case 0...5: try await write(.flushed)
        case 6: try await write(.ordered)
        case 7: try await write(.memory)
        case 8: try await writeAtOnce()
        case 9, 10: try await compact()
        case 11: try await close()
        case 12: try cutPower()
        case 13, 14:
            disk.arm(
                FailingDisk.Fault(
                    callsLeft: input.choice(24), failureCount: 1 + input.choice(3), isFull: input.oneIn(3)))
        default: hold()
        }
        if database == nil, !input.oneIn(4) { try await open() }
    }

    // MARK: Opening and closing

    /// Leaves the store closed when the disk fails meanwhile.
    private mutating func open() async throws {
        guard database == nil else { return }
        disk.forget()
        if !disk.isArmed { try verify() }
        let opened: Database
        do throws(StorageError) {
            opened = try Database.open(
                at: StoreFolder.path, trees: Self.trees,
                options: Options(compaction: .manual, storeIdentifier: Array("crash simulation".utf8)),
                fileSystem: disk)
        } catch {
            return try claim(disk.hasFailed, "a store that was not damaged does not open: \(error)")
        }
        try adopt(opened)
    }

    private mutating func adopt(_ opened: Database) throws {
        let commit = Int(opened.version.commitNumber)
        let found = try StoreContents(of: opened.version)
        try claim(commit >= flushed, "commit \(flushed) was acknowledged as flushed; the store ends with \(commit)")
        if commit == commits.count, let failed {
            commits.append(failed)
        }
        try claim(commit < commits.count, "the store ends with commit \(commit), which was never made")
        try claim(found == commits[commit], "commit \(commit) holds \(found.summary), not \(commits[commit].summary)")
        let findings = opened.version.invariantFindings()
        try claim(findings.isEmpty, "\(findings)")
        commits.removeLast(commits.count - commit - 1)
        failed = nil
        // An opening makes durable what it builds on.
        flushed = commit
        database = opened
    }

    private func verify() throws {
        let files = disk.base.files
        guard files.keys.contains(where: { $0.hasPrefix("snapshot-") && !$0.contains("tmp") }) else {
            return try claim(flushed == 0, "the snapshot is gone")
        }
        let report = try Verifier.verify(at: StoreFolder.path, fileSystem: disk.base)
        try claim(report.isSound, "verify: \(report.damage) \(report.treeFindings)")
    }

    private mutating func close() async throws {
        guard let database else { return }
        try checkHeld()
        self.database = nil
        do throws(StorageError) {
            try await database.close()
            if failed == nil { flushed = commits.count - 1 }
        } catch {
            try claim(disk.hasFailed, "closing failed: \(error)")
        }
        held = []
    }

    // MARK: Power cuts

    /// Of what was not flushed the input chooses what survives, and how much of the last write.
    private mutating func cutPower() throws {
        try checkHeld()
        held = []
        database = nil
        var state = CrashState(files: medium)
        for operation in disk.base.operations { state.apply(operation) }
        let count = state.pending.count
        let survivors: [Bool]
        switch input.choice(4) {
        case 0: survivors = Array(repeating: true, count: count)
        case 1: survivors = Array(repeating: false, count: count)
        case 2:
            let kept = input.choice(count + 1)
            survivors = (0..<count).map { $0 < kept }
        default: survivors = (0..<count).map { _ in input.byte() & 1 == 1 }
        }
        var torn: (index: Int, kept: Range<Int>)?
        let lastWrite = survivors.indices.last { survivors[$0] && state.pending[$0].writtenByteCount != nil }
        if let lastWrite, let byteCount = state.pending[lastWrite].writtenByteCount, input.oneIn(2) {
            let cut = Int(input.number(UInt16.self)) % (byteCount + 1)
            torn = (lastWrite, input.oneIn(2) ? cut..<byteCount : 0..<cut)
        }
        medium = state.image(survivors: survivors, torn: torn)
        disk = FailingDisk(RecordingDisk(directory: StoreFolder.path, files: medium))
    }

    // MARK: Writing

    private struct Change: Sendable {
        let key: UInt8
        /// `nil` removes.
        let value: [UInt8]?
        let isCold: Bool

        var facets: FacetSet { isCold ? [] : FacetSet(Facet(Int(key) % 2)) }

        func apply(to contents: inout StoreContents) {
            let tree: UInt8 = isCold ? 2 : 1
            contents.trees[tree, default: [:]][[key]] = value.map { .init(bytes: $0, facets: facets.rawValue) }
        }

        func apply(to transaction: inout Transaction) throws {
            let tree = isCold ? StoreProgram.cold : StoreProgram.hot
            if let value {
                try transaction.put(value, forKey: [key], facets: facets, in: tree)
            } else {
                try transaction.remove([key], in: tree)
            }
        }
    }

    private mutating func changes() -> [Change] {
        (0...input.choice(3)).map { _ in
            let kind = input.byte()
            let key = input.byte() % 32
            let count = Int(input.byte()) * (kind & 2 == 2 ? 40 : 1)
            let value = [UInt8](repeating: kind, count: count)
            return Change(key: key, value: kind & 12 == 12 ? nil : value, isCold: kind & 1 == 1)
        }
    }

    private mutating func write(_ durability: Durability) async throws {
        guard let database else { return }
        let changes = changes()
        let before = database.version.commitNumber
        var after = commits[commits.count - 1]
        for change in changes { change.apply(to: &after) }
        do {
            try await database.write(durability) { transaction in
                for change in changes { try change.apply(to: &transaction) }
            }
        } catch let error as StorageError {
            try claim(disk.hasFailed, "a write failed: \(error)")
            try claim(database.version.commitNumber == before, "a commit failed and shows: \(error)")
            // Refused once and for all, later ones are not even tried.
            if failed == nil { failed = after }
            return
        }
        if database.version.commitNumber > before {
            commits.append(after)
            failed = nil
            if durability == .flushed { flushed = commits.count - 1 }
        }
        let found = try StoreContents(of: database.version)
        let last = commits[commits.count - 1]
        try claim(found == last, "after a commit the store holds \(found.summary), not \(last.summary)")
    }

    /// Transactions that arrive together. Which is first is known afterwards.
    private mutating func writeAtOnce() async throws {
        guard let database, !disk.isArmed, !disk.hasFailed else { return }
        let base = input.byte()
        let numbered = try await withThrowingTaskGroup(of: (UInt64, Change).self) { group in
            for index in 0..<4 as Range<UInt8> {
                let change = Change(key: 40 + index % 2, value: [base, index], isCold: index == 3)
                group.addTask {
                    let number = try await database.write { transaction in
                        try change.apply(to: &transaction)
                        return transaction.commitNumber
                    }
                    return (number, change)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for (number, change) in numbered.sorted(by: { $0.0 < $1.0 }) {
            var after = commits[commits.count - 1]
            change.apply(to: &after)
            commits.append(after)
            try claim(number == commits.count - 1, "commit \(number) follows \(commits.count - 2)")
        }
        flushed = commits.count - 1
    }

    private mutating func compact() async throws {
        guard let database else { return }
        do {
            try await database.compact()
            if failed == nil { flushed = commits.count - 1 }
        } catch let error as StorageError {
            try claim(disk.hasFailed, "a compaction failed: \(error)")
        }
        let found = try StoreContents(of: database.version)
        let last = commits[commits.count - 1]
        try claim(found == last, "a compaction left \(found.summary), not \(last.summary)")
    }

    // MARK: Versions held

    private mutating func hold() {
        guard let database, held.count < 4 else { return }
        held.append((database.version, commits[commits.count - 1]))
    }

    /// Whatever happened since, a version is what it was.
    private func checkHeld() throws {
        for (version, contents) in held {
            let found = try StoreContents(of: version)
            try claim(found == contents, "a version held \(contents.summary), now \(found.summary)")
        }
    }
}

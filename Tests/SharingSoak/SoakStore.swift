import StorageEngine

/// What the processes of a soak write: the number of commits of all, that of each, and of every commit whose it was.
enum SoakStore {
    static let counts = TreeNumber(1)
    static let commits = TreeNumber(2)
    static let trees = [
        TreeDeclaration(counts, "counts", facetCount: 0), TreeDeclaration(commits, "commits", facetCount: 0),
    ]
    /// The key of the number of all; processes are numbered from 1.
    static let all: [UInt8] = [0]

    static func options(_ access: Access) -> Options {
        var options = Options(access: access)
        // A machine with more to do than it can is no finding.
        options.lockLimit = .seconds(600)
        return options
    }

    /// Counts one more commit of a process, and returns which of its own that is.
    static func count(_ process: UInt8, in transaction: inout Transaction) throws -> UInt64 {
        let all = number(try transaction.bytes(forKey: all, in: counts)) + 1
        let own = number(try transaction.bytes(forKey: [process], in: counts)) + 1
        try transaction.put(bytes(all), forKey: self.all, in: counts)
        try transaction.put(bytes(own), forKey: [process], in: counts)
        try transaction.put([process] + bytes(own), forKey: bytes(all), in: commits)
        return own
    }

    static func count(of key: [UInt8], in version: Version) throws -> UInt64 {
        number(try version.bytes(forKey: key, in: counts))
    }

    /// What is wrong with all that the processes have written.
    static func findings(in version: Version, _ expected: [UInt8: UInt64]) throws -> [String] {
        var findings: [String] = []
        var (next, own) = (UInt64(1), [UInt8: UInt64]())
        try version.scan(commits) { key, value in
            let (all, entry) = (number(key.bytes), value.bytes)
            if all != next { findings.append("commit \(next) of all is followed by \(all)") }
            next = all + 1
            let (process, count) = (entry[0], number(Array(entry.dropFirst())))
            if count != own[process, default: 0] + 1 {
                findings.append("commit \(all): process \(process) has \(own[process, default: 0]) and then \(count)")
            }
            own[process] = count
            return findings.count < 10
        }
        for (process, count) in expected where own[process] != count {
            findings.append("process \(process) has made \(count) commits, and \(own[process] ?? 0) are there")
        }
        if version.commitNumber != next - 1 {
            findings.append("the store says that it has \(version.commitNumber) commits, and \(next - 1) are there")
        }
        return findings
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    static func number(_ bytes: [UInt8]?) -> UInt64 { (bytes ?? []).reduce(0) { $0 << 8 | UInt64($1) } }
}

extension RawSpan {
    fileprivate var bytes: [UInt8] { (0..<byteCount).map { unsafeLoadUnaligned(fromByteOffset: $0, as: UInt8.self) } }
}

/// Commits that a backup can restore, each of them: a snapshot's, and those of the log that was backed up behind it.
public struct BackupReach: Sendable, Equatable {
    public let commits: ClosedRange<UInt64>
    /// When the snapshot was made, and the newest commit behind it or, where there is none, the snapshot again. Milliseconds since
    /// 1970.
    public let times: ClosedRange<UInt64>
}

/// The parts behind a reach.
struct BackupLine {
    let snapshot: BackupPart
    /// Stretches of the log in order.
    private(set) var pieces: [BackupPart] = []

    /// - Parameter segments: of the manifest.
    init(_ snapshot: BackupPart, _ segments: [UInt64: [BackupPart]]) {
        self.snapshot = snapshot
        var sequence = snapshot.logSequence
        while true {
            guard let next = segments[sequence], let first = next.first else { break }
            if let last = pieces.last, last.lastChain != first.firstChain || last.lastCommit != first.firstCommit {
                // A segment that a load or a rescue began continues a snapshot, or commits between are missing.
                break
            }
            guard pieces.last != nil || first.firstCommit <= snapshot.lastCommit else { break }
            pieces += next
            sequence += 1
        }
    }

    var reach: BackupReach {
        let last = max(snapshot.lastCommit, pieces.last?.lastCommit ?? 0)
        let time = pieces.last { $0.lastTime > 0 && $0.lastCommit > snapshot.lastCommit }?.lastTime
        let begin = snapshot.lastTime
        return BackupReach(commits: snapshot.lastCommit...last, times: begin...max(begin, time ?? begin))
    }
}

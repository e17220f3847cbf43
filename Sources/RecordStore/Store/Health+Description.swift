extension RecordLibrary.Health {
    /// The case in a word: for a title.
    public var name: String {
        switch self {
        case .opening: "opening"
        case .ready: "ready"
        case .recovered: "recovered"
        case .upgrading: "upgrading"
        case .unsaved: "unsaved"
        case .behind: "behind"
        case .readOnly: "read-only"
        case .damaged: "damaged"
        case .unavailable: "unavailable"
        }
    }

    /// Whether everything that was met so far can be read, and changed where the library was opened for it.
    public var isOpen: Bool {
        switch self {
        case .ready, .recovered, .upgrading: true
        case .opening, .unsaved, .behind, .readOnly, .damaged, .unavailable: false
        }
    }

    /// What to do now; `nil` when nothing has to be done.
    public var nextStep: String? {
        switch self {
        case .opening, .ready, .recovered, .upgrading: nil
        case .unsaved(let error, _), .behind(let error), .readOnly(let error), .unavailable(let error): error.nextStep
        case .damaged(let report): report.nextStep
        }
    }

    private static func unsaved(_ waitingCommitCount: Int) -> String {
        switch waitingCommitCount {
        case 0: "The last change could not be saved. "
        case 1: "A change waits in memory to be saved. "
        default: "\(waitingCommitCount) changes wait in memory to be saved. "
        }
    }

    private static func percent(_ fraction: Double) -> Int { Int(max(0, min(1, fraction)) * 100) }
}

extension RecordLibrary.Health: CustomStringConvertible {
    /// How the library fares, in sentences for people.
    public var description: String {
        switch self {
        case .opening(let fraction): "The library is being opened: \(Self.percent(fraction)) % of its log is read."
        case .ready: "The library is ready."
        case .recovered(let recovery): recovery.what
        case .upgrading(let fraction?): "Lists and orders are being made: \(Self.percent(fraction)) % is done."
        case .upgrading(fraction: nil): "Lists of another version are being made again."
        case .unsaved(let error, let count): Self.unsaved(count) + error.sentence
        case .behind(let error): "What another process has written cannot be shown. \(error.sentence)"
        case .readOnly(let error), .unavailable(let error): error.sentence
        case .damaged(let report): report.description
        }
    }
}

extension RecordLibrary.DamageReport: CustomStringConvertible {
    /// What was found and what it concerns, in sentences for people.
    public var description: String {
        var sentences = [damage.description]
        if !parts.isEmpty { sentences.append("Not all of it can be read: \(parts.joined(separator: ", ")).") }
        if lacksCommits { sentences.append("The commits after this place are missing.") }
        return sentences.joined(separator: " ")
    }

    /// Lists are made again from the records; lost commits are not.
    public var nextStep: String {
        lacksCommits
            ? "run `bookdb repair` to save what is whole into a new library, or restore a backup"
            : "run `bookdb verify` to see what is affected, and `bookdb reindex` to make lists and orders again"
    }
}

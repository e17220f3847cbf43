import BookDB

/// How a library fares, in the words that a reader of the screen gets, and what to do now.
struct HealthWords: Equatable {
    let name: String
    var sentence: String?
    var nextStep: String?

    /// Whether everything can be read and changed.
    var isOpen: Bool { ["ready", "recovered", "upgrading"].contains(name) }

    init(_ health: RecordLibrary.Health) {
        switch health {
        case .opening(let fraction):
            name = "opening"
            sentence = "\(Int(fraction * 100)) % of the log is read."
        case .ready: name = "ready"
        case .recovered(let recovery):
            name = "recovered"
            sentence = recovery.what
        case .upgrading:
            name = "upgrading"
            sentence = "Lists of an older version are made again."
        case .readOnly(let error):
            name = "read-only"
            (sentence, nextStep) = (error.sentence, error.nextStep)
        case .damaged(let report):
            name = "damaged"
            var words = report.damage.description
            if !report.parts.isEmpty { words += " Not readable: \(report.parts.joined(separator: ", "))." }
            if report.lacksCommits { words += " The commits after this place are missing." }
            sentence = words
            // Lists are made again from the records; lost commits are not.
            nextStep =
                report.lacksCommits
                ? "run `bookdb repair` to save what is whole into a new library, or restore a backup"
                : "run `bookdb reindex` to make these parts again"
        case .unavailable(let error):
            name = "unavailable"
            (sentence, nextStep) = (error.sentence, error.nextStep)
        }
    }
}

import BookDB
import BookImport

/// Why a command could not do its work: a sentence, the next step, and the status the process ends with.
struct CommandFailure: Error {
    let status: ExitStatus
    /// What, and where.
    let sentence: String
    /// What to do now; printed behind an arrow.
    var next: String?

    var message: String {
        next.map { "\(sentence)\n→ \($0)" } ?? sentence
    }
}

/// Ends the process with a status; everything there is to say was said.
struct SilentEnd: Error {
    let status: ExitStatus
}

extension CommandFailure {
    /// The failure behind any error a command can meet.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure:
            self = failure
        case let error as BookError:
            self.init(status: Self.status(of: error), sentence: error.sentence, next: error.nextStep)
        case let error as ImportError:
            self.init(status: error.status, sentence: error.sentence, next: error.nextStep)
        case is CancellationError:
            self.init(status: .interrupted, sentence: "Interrupted.")
        default:
            self.init(
                status: .defect, sentence: "\(error)",
                next: "this is a bug in bookdb: please report it with the command you ran")
        }
    }

    static func wrongUsage(_ sentence: String, next: String? = nil) -> CommandFailure {
        CommandFailure(status: .wrongUsage, sentence: sentence, next: next)
    }

    private static func status(of error: BookError) -> ExitStatus {
        switch error {
        case .notALibrary, .damaged, .invalid, .tooLarge: .badInput
        case .inUse: .inUse
        case .tooNew: .tooNew
        case .diskFull, .inputOutput, .refusingWrites: .inputOutput
        case .readOnly, .notPermitted: .notPermitted
        case .notFound: .notFound
        case .exists: .exists
        case .cancelled: .interrupted
        case .closed: .defect
        }
    }
}

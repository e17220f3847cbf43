import BookDB
import BookImport

/// Why a command could not do its work: a sentence, the next step, and the status the process ends with.
struct CommandFailure: Error {
    let status: ExitStatus
    /// What, and where.
    var sentence: String
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
        case let error as LibraryError:
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

    /// The failure of a command that shares a library and waited for another process in vain; `nil` for any other error.
    static func inUse(_ error: LibraryError) -> CommandFailure? {
        guard case .inUse(let path, let processIdentifier) = error else { return nil }
        return CommandFailure(
            status: .inUse,
            sentence: "\(path) is in use by process \(processIdentifier), which does not share it or takes long.",
            next: "close it there, wait until that is done, or open it there with access: .shared")
    }

    /// The failure of a command that met damage it cannot go past, in the library that it is about.
    static func damaged(_ finding: String, _ library: String?) -> CommandFailure {
        let error = LibraryError.damaged(finding)
        return CommandFailure(
            status: status(of: error), sentence: error.sentence,
            next: library.map { "bookdb verify \(word: $0)   says what is affected; the rest can still be read" }
                ?? error.nextStep)
    }

    static func wrongUsage(_ sentence: String, next: String? = nil) -> CommandFailure {
        CommandFailure(status: .wrongUsage, sentence: sentence, next: next)
    }

    /// The failure of an import that had made so many rows safe before it.
    init(_ error: any Error, safeRows: Int) {
        self.init(error)
        guard safeRows > 0 else { return }
        sentence += " Before, \(NumberText.count(safeRows, "row")) were imported."
        if case LibraryError.displaced = error { return }
        next = (next.map { $0 + "; " } ?? "") + "the same import goes on behind them"
    }

    static func tooFewFiles(_ count: Int) -> CommandFailure {
        CommandFailure(
            status: .inputOutput, sentence: "bookdb may not open the \(count) files at once that it needs.",
            next: "raise the limit, such as with `ulimit -n 256`")
    }

    private static func status(of error: LibraryError) -> ExitStatus {
        switch error {
        case .notALibrary, .notARegularFile, .damaged, .recordNotFound, .duplicate, .notUnique, .referenced,
            .invalidValue,
            .schemaMismatch, .incompleteOrder, .mixedUnits, .invalidArgument, .tooLarge, .backupRefused,
            .undoRefused, .undoLost:
            .badInput
        case .inUse, .opening, .suspended: .inUse
        case .tooNew, .unknownFeatures, .outdated: .otherVersion
        case .diskFull, .tooLittleSpace, .displaced, .inputOutput, .refusingWrites, .unsaved: .inputOutput
        case .readOnly, .notPermitted: .notPermitted
        case .notFound, .missingParent: .notFound
        case .exists: .exists
        case .cancelled: .interrupted
        case .closed: .defect
        }
    }
}

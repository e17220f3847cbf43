/// What a `LibraryStatus` says. An app in another language, or with words of its own, gives its own closure:
///
/// ```swift
/// var texts = LibraryStatusTexts.english
/// texts.words = { health in
///     guard case .opening = health else { return LibraryStatusTexts.english.words(health) }
///     return LibraryStatus.Words(title: "Ouverture de la bibliothèque")
/// }
/// texts.retry = "Réessayer"
/// ```
public struct LibraryStatusTexts: Sendable {
    /// Called whenever the status may have changed; never for `.ready` and for a library that the app has closed.
    public var words: @Sendable (RecordLibrary.Health) -> LibraryStatus.Words

    /// On the button that opens the library again.
    public var retry: String

    /// On the button that puts a notice away.
    public var dismiss: String

    public init(
        retry: String, dismiss: String, words: @escaping @Sendable (RecordLibrary.Health) -> LibraryStatus.Words
    ) {
        (self.words, self.retry, self.dismiss) = (words, retry, dismiss)
    }

    /// For people who use an app: it names neither commands nor calls. The details are the sentences of the errors.
    public static let english = LibraryStatusTexts(retry: "Try again", dismiss: "OK") { health in
        LibraryStatus.Words(english: health)
    }
}

extension LibraryStatus.Words {
    fileprivate init(english health: RecordLibrary.Health) {
        switch health {
        case .opening: self.init(title: "Opening the library")
        case .ready: self.init(title: "The library is open")
        case .recovered(let recovery):
            self.init(title: "The library is open again", detail: recovery.what)
        case .upgrading(fraction: nil):
            self.init(title: "Updating the library", detail: "Its lists were made by another version of the app.")
        case .upgrading: self.init(title: "Updating the library", detail: "New lists are being made.")
        case .unsaved(let error, let count):
            self.init(
                title: count == 0 ? "The last change could not be saved" : "The newest changes are not saved yet",
                detail: error.sentence, nextStep: error.stepForReaders)
        case .behind(let error):
            self.init(
                title: "The newest changes of another app cannot be shown", detail: error.sentence,
                nextStep: error.stepForReaders)
        case .readOnly(let error):
            self.init(
                title: "The library cannot be changed", detail: error.sentence, nextStep: error.stepForReaders)
        case .damaged(let report):
            var sentences: [String] = []
            if !report.parts.isEmpty { sentences.append("This is missing: \(report.parts.joined(separator: ", ")).") }
            if report.lacksCommits { sentences.append("The newest changes are missing.") }
            self.init(
                title: "A part of the library cannot be read",
                detail: (sentences + [report.damage.description]).joined(separator: " "),
                nextStep: "Everything else is here. Restore a backup to get back the rest.")
        case .unavailable(let error):
            self.init(
                title: "The library cannot be opened", detail: error.sentence, nextStep: error.stepForReaders)
        }
    }
}

extension LibraryError {
    /// What somebody can do who has the app, and not its code; `nextStep` is for its author.
    fileprivate var stepForReaders: String? {
        switch self {
        case .inUse(_, LibraryError.ownProcess): "Quit the app and open it again."
        case .inUse: "Close the other app that has it open, then try again."
        case .diskFull, .tooLittleSpace: "Free some space, then try again."
        case .notPermitted: "Unlock the device or allow the app to read its files, then try again."
        case .readOnly: "Make its disk writable, then try again."
        case .notFound, .missingParent, .displaced: "Put it back where it was, then try again."
        case .notARegularFile: "Put the file itself in its place, then try again."
        case .inputOutput: "Check the disk, then try again."
        case .cancelled, .suspended: "Try again."
        case .tooNew, .unknownFeatures, .outdated: "Install the newest version of the app."
        case .damaged: "Restore a backup. The damaged files stay as they are."
        case .notALibrary: "Move away what is there, or restore a backup."
        case .refusingWrites, .unsaved, .closed: "Quit the app and open it again. Everything can still be read."
        case .opening, .exists, .backupRefused, .recordNotFound, .duplicate, .notUnique, .referenced, .invalidValue,
            .schemaMismatch, .incompleteOrder, .mixedUnits, .undoRefused, .undoLost, .invalidArgument, .tooLarge:
            nil
        }
    }
}

/// Why the library could not do what it was asked. The description is a sentence and, after an arrow, the next step.
public enum LibraryError: Error, Hashable, Sendable {
    /// The path holds something else than a library.
    case notALibrary(path: String, reason: String)

    /// Another process is writing to the library.
    case inUse(path: String, processIdentifier: Int32)

    /// Stored bytes are not what was written. What was not hit stays readable.
    case damaged(String)

    /// The library was written by a newer version.
    case tooNew(path: String, found: UInt32, supported: UInt32)

    /// The library was written by a newer version, with features, a bit for each, that this one does not know. Where it `canBeRead`, it is
    /// only not open for writing.
    case unknownFeatures(path: String, bits: UInt32, canBeRead: Bool)

    /// The library was written by an older version, whose lists this one cannot read, and it is not open for writing.
    case outdated(path: String)

    case diskFull(path: String)
    case readOnly(path: String)
    case notPermitted(path: String)
    case notFound(path: String)

    /// The library is still being opened, and nothing of it can be read yet; see `RecordLibrary.ready()`.
    case opening(path: String)

    /// A library was to begin in a folder that does not exist.
    case missingParent(path: String, parent: String)

    /// Something else has the name of one of the library's files, such as a symbolic link; it was neither opened nor
    /// followed.
    case notARegularFile(path: String, found: String)

    /// Something is at the path already, and it is not overwritten.
    case exists(path: String)

    /// What was to be written is larger than what is free on the disk. Nothing was written.
    case tooLittleSpace(path: String, needed: UInt64, free: UInt64)

    /// No backup was made, or nothing restored from one, and nothing was changed: why, and what to do now.
    case backupRefused(path: String, reason: String, next: String)

    /// The library was moved, removed or replaced while it was open. Nothing was written to what is there now.
    case displaced(path: String)

    case inputOutput(String)

    // The caller's data, or what it asks for. The sentence says what is wrong; nothing was changed.

    /// There is no record of that identifier, or one that is named is not there.
    case recordNotFound(String)

    /// A record is there already.
    case duplicate(String)

    /// Another record of an app's own has a unique key that only one may have: which kind and fields, the raw value of the `ID`
    /// of the record that has them, and whether the key is one that another version of the app declares, and not the type that was written.
    case notUnique(kind: String, fields: [String], identifier: UInt64, isDeclaredElsewhere: Bool = false)

    /// Other records name it.
    case referenced(String)

    /// A field has a value that cannot be stored.
    case invalidValue(String)

    /// A type of record cannot be stored as it is declared, or not beside another.
    case schemaMismatch(String)

    /// An order of an app's own records is being made, or the next write of such a record begins it: so many records are in it by now. See
    /// `RecordLibrary.makeOrders(of:)`.
    case incompleteOrder(kind: String, order: String, madeCount: Int, recordCount: Int)

    /// Amounts in several currencies, or other units, were to be added up.
    case mixedUnits(String)

    /// A commit cannot be undone, or done again: the records that were changed since in what it changed, or that would be left with a broken link or
    /// a key that another has. Nothing was changed.
    case undoRefused([UndoConflict])

    /// What a commit replaced is neither held in memory any more nor in the log. It cannot be undone, and none before it.
    case undoLost(commitNumber: UInt64)

    /// A page, cursor or path that cannot be.
    case invalidArgument(String)

    /// All that is to be one commit, or goes with one record, is more than fits. A record that is too large by itself is `.invalidValue`.
    case tooLarge(String)

    case closed(path: String)

    /// The system is about to suspend the app, which therefore takes no lock of a library that other processes share. Nothing was changed.
    case suspended(path: String)
    case cancelled

    /// The library was closed, and so many of its newest changes, which were visible already, may not be on the disk.
    case unsaved(path: String, commitCount: Int, reason: String)

    /// An earlier write or flush failed; reading goes on, writing needs the library to be opened anew.
    case refusingWrites(path: String, reason: String)
}

extension LibraryError {
    /// Whether the data of the caller is refused and the library is well.
    package var isOfData: Bool {
        switch self {
        case .recordNotFound, .duplicate, .notUnique, .referenced, .invalidValue, .schemaMismatch, .incompleteOrder,
            .mixedUnits, .invalidArgument, .tooLarge, .undoRefused, .undoLost:
            true
        case .notALibrary, .inUse, .damaged, .tooNew, .unknownFeatures, .outdated, .diskFull, .readOnly,
            .notPermitted, .notFound, .opening, .missingParent, .notARegularFile, .exists, .displaced, .inputOutput,
            .closed, .suspended,
            .cancelled, .unsaved, .tooLittleSpace, .backupRefused,
            .refusingWrites:
            false
        }
    }
}

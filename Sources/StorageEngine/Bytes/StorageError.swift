/// What can go wrong in a store. Each case reads as a sentence that names the place and ends with the next step.
public enum StorageError: Error, Sendable, Equatable {
    /// The path holds something else.
    case notAStore(path: String, reason: String)
    /// Written by a newer format than this build reads.
    case newerFormat(path: String, found: UInt32, supported: UInt32)
    /// Written by a newer version, with features, a bit for each, that this build does not know. Where it `canBeRead`, it may not be
    /// written to.
    case unknownFeatures(path: String, bits: UInt32, canBeRead: Bool)
    /// Another process (or another `Database` of this one) writes to the store.
    case inUse(path: String, processIdentifier: Int32)
    /// Bytes are not what was written.
    case damaged(Damage)
    /// The device is full; nothing of the refused operation was kept.
    case diskFull(path: String)
    /// The store was opened read-only, or lies on a read-only file system.
    case readOnly(path: String)
    case notPermitted(path: String)
    case notFound(path: String)
    /// The store is being opened, and nothing of it can be read yet.
    case opening(path: String)
    /// Its contents are of an older version, which this one cannot read before they were brought up to date, and it is not open for writing.
    case outdated(path: String)
    /// There is no store to be had, as the layer above says in a sentence.
    case unavailable(String)
    /// A store was to begin in a directory that does not exist.
    case missingParent(path: String, parent: String)
    /// Something else has the name of one of the store's files, such as a symbolic link; it was neither opened nor followed.
    case notARegularFile(path: String, found: String)
    /// The directory was moved, removed or replaced while the store was open. Nothing was written to what is there now.
    case displaced(path: String)
    /// Any other failed system call.
    case inputOutput(operation: String, path: String, code: Int32)
    /// The caller asked for more than the format holds.
    case limitExceeded(String)
    /// A load was given several values, or facets, for one key of a tree. Nothing of it was added.
    case duplicateKey(tree: String, key: [UInt8])
    /// The trees the caller declares contradict the trees in the store.
    case schemaMismatch(String)
    case closed(path: String)
    /// An earlier write or flush failed. What the disk holds is unknown, so writes are refused until reopened.
    case poisoned(path: String, reason: String)
    /// The store was closed, and these commits, acknowledged before they were flushed, may not be on the medium.
    case unsaved(path: String, commits: ClosedRange<UInt64>, reason: String)
    /// The system is about to suspend the process, which therefore takes no lock of a shared store. Nothing was changed.
    case suspended(path: String)
    case cancelled
    /// Something is at a path where something new was to be made.
    case exists(path: String)
    /// A file is too large for what is free on its disk. Nothing was written.
    case tooLittleSpace(path: String, needed: UInt64, free: UInt64)
    /// A backup was not made, or not restored from; nothing was changed. Reason and next step are sentences.
    case backupRefused(path: String, reason: String, next: String)
}

extension StorageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAStore(let path, let reason):
            "\(path) is not a BookDB store: \(reason). Name another path, or create a new store."
        case .newerFormat(let path, let found, let supported):
            "\(path) has format \(found); this build reads up to format \(supported). Update BookDB to open it."
        case .unknownFeatures(let path, let bits, canBeRead: false):
            "\(path) has features of a newer BookDB, \(bits.hexadecimal), and cannot be read without them; it is not damaged. "
                + "Update BookDB to open it."
        case .unknownFeatures(let path, let bits, canBeRead: true):
            "\(path) has features of a newer BookDB, \(bits.hexadecimal), and may only be read without them. Open it read-only, "
                + "or update BookDB to write to it."
        case .inUse(let path, let processIdentifier):
            "\(path) is in use by process \(processIdentifier). Close it there, or open it read-only."
        case .damaged(let damage):
            "\(damage) Run `bookdb verify` to see what is affected."
        case .diskFull(let path):
            "The disk that holds \(path) is full; nothing was changed. Free some space and try again."
        case .readOnly(let path):
            "\(path) can only be read. Open it for writing on a writable file system."
        case .notPermitted(let path):
            "\(path) may not be opened: permission denied. Check the owner and the permissions."
        case .notFound(let path):
            "\(path) does not exist. Check the path."
        case .opening(let path):
            "\(path) is being opened, and nothing of it can be read yet. Wait for `ready()`."
        case .outdated(let path):
            "\(path) was written by an older version. Open it for writing once to bring it up to date."
        case .unavailable(let sentence):
            sentence
        case .missingParent(let path, let parent):
            "There is no directory \(parent) to begin \(path) in. Make it first, or check the path."
        case .notARegularFile(let path, let found):
            "\(path) is \(found), and a file of the store should be there. Put the file itself in its place."
        case .displaced(let path):
            "\(path) was moved, removed or replaced while it was open. Open it where it is now."
        case .inputOutput(let operation, let path, let code):
            "\(operation) failed on \(path) with system error \(code). Check the disk, then try again."
        case .limitExceeded(let sentence):
            sentence
        case .duplicateKey(let tree, let key):
            "Tree \(tree) was given two different entries for the key \(key.keyText); nothing was added. "
                + "Put each key once."
        case .schemaMismatch(let sentence):
            sentence
        case .closed(let path):
            "\(path) was closed. Open it again."
        case .poisoned(let path, let reason):
            "\(path) refuses writes, because an earlier one failed: \(reason) Reads go on. Reopen the store to write."
        case .unsaved(let path, let commits, let reason):
            "\(path) was closed, but commits \(commits.lowerBound) to \(commits.upperBound), which were visible, may not be on "
                + "the disk: \(reason) Open it to see what is there."
        case .suspended(let path):
            "\(path) was not written to, because the process is about to be suspended; nothing was changed. Write again when it "
                + "runs on, or ask the system for time first."
        case .cancelled:
            "The operation was cancelled; the store is as it was."
        case .exists(let path):
            "\(path) exists; it was not overwritten. Name another path, or remove what is there first."
        case .tooLittleSpace(let path, let needed, let free):
            "\(path) needs \(needed) bytes, and the disk has \(free) left; nothing was written. Free some space and try again."
        case .backupRefused(let path, let reason, let next):
            "\(path): \(reason) \(next)"
        }
    }
}

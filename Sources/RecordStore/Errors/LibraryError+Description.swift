import StorageEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension LibraryError: LocalizedError {
    public var errorDescription: String? { sentence }
    public var recoverySuggestion: String? { nextStep }
}

extension LibraryError: CustomStringConvertible {
    /// One sentence, and after an arrow what to do next.
    public var description: String { "\(sentence)\n→ \(nextStep)" }

    /// What happened, as a sentence.
    public var sentence: String {
        switch self {
        case .notALibrary(let path, let reason): "\(path) is not a library: \(reason)."
        case .inUse(let path, Self.ownProcess): "\(path) is open in this process already."
        case .inUse(let path, let processIdentifier): "\(path) is in use by process \(processIdentifier)."
        case .damaged(let finding): "The library is damaged: \(finding)"
        case .tooNew(let path, let found, let supported):
            "\(path) has format \(found), and this version knows formats up to \(supported)."
        case .unknownFeatures(let path, let bits, canBeRead: true):
            "\(path) \(Self.features(bits)), without which it can only be read."
        case .unknownFeatures(let path, let bits, canBeRead: false):
            "\(path) \(Self.features(bits)), without which it cannot be read; it is not damaged."
        case .outdated(let path): "\(path) was written by an older version, and its lists have to be made anew."
        case .diskFull(let path): "The disk that holds \(path) is full; the change was not made."
        case .readOnly(let path): "\(path) can only be read."
        case .notPermitted(let path): "\(path) may not be opened: permission denied."
        case .notFound(let path): "There is no library at \(path)."
        case .opening(let path): "\(path) is being opened, and nothing of it can be read yet."
        case .missingParent(let path, let parent): "There is no folder \(parent) to begin \(path) in."
        case .notARegularFile(let path, let found): "\(path) is \(found), and a file of the library should be there."
        case .exists(let path): "\(path) exists; it was not overwritten."
        case .tooLittleSpace(let path, let needed, let free):
            "\(path) needs \(needed) bytes, and its disk has \(free) left; nothing was written."
        case .backupRefused(let path, let reason, _): "\(path): \(reason)"
        case .displaced(let path): "\(path) was moved, removed or replaced while it was open."
        case .inputOutput(let sentence): sentence
        case .recordNotFound(let sentence), .duplicate(let sentence), .referenced(let sentence),
            .invalidValue(let sentence),
            .schemaMismatch(let sentence), .invalidArgument(let sentence), .tooLarge(let sentence),
            .mixedUnits(let sentence):
            sentence
        case .notUnique(let kind, let fields, let identifier, let isDeclaredElsewhere):
            "\(kind) \(ID<AppRecord>(rawValue: identifier)) has this \(fields.joined(separator: " and ")) already, and only one may"
                + (isDeclaredElsewhere ? ": another version of the app declares a unique key of it." : ".")
        case .incompleteOrder(let kind, let order, let madeCount, let recordCount):
            "The order “\(order)” of \(kind) is \(madeCount == 0 ? "not made yet" : "being made"): \(madeCount) of \(recordCount) "
                + "records are in it."
        case .undoRefused(let conflicts): Self.refusal(conflicts)
        case .undoLost(let commitNumber):
            "Commit \(commitNumber) cannot be undone any more: what it replaced was more than is held in memory, and a compaction has taken it out "
                + "of the log."
        case .closed(let path): "\(path) was closed."
        case .suspended(let path): "\(path) was not written to, because the app is about to be suspended."
        case .cancelled: "The operation was cancelled; what it had committed until then stays."
        case .unsaved(let path, let commitCount, let reason):
            "\(path) was closed, but its last \(commitCount == 1 ? "change" : "\(commitCount) changes") may not be on the "
                + "disk: \(reason)"
        case .refusingWrites(let path, let reason):
            "\(path) takes no more changes, because an earlier one could not be written: \(reason)"
        }
    }

    /// Features by their numbers, which are the places of their bits: the format's pages name them so.
    private static func features(_ bits: UInt32) -> String {
        let numbers = (0..<UInt32.bitWidth).filter { bits >> $0 & 1 == 1 }.map(String.init)
        guard let last = numbers.last, numbers.count > 1 else {
            return "has a feature of a newer version, number \(numbers.first ?? "unknown")"
        }
        return "has features of a newer version, numbers \(numbers.dropLast().joined(separator: ", ")) and \(last)"
    }

    private static func refusal(_ conflicts: [UndoConflict]) -> String {
        let named = conflicts.prefix(3).map(\.description).joined(separator: "; ")
        let others = conflicts.count > 3 ? "; and \(conflicts.count - 3) more" : ""
        return "It cannot be undone, because of what was done since: \(named)\(others)."
    }

    static var ownProcess: Int32 { PosixFileSystem().processIdentifier }

    /// A sentence as what follows an arrow.
    private static func asStep(_ sentence: String) -> String {
        var step = sentence.prefix(1).lowercased() + sentence.dropFirst()
        if step.hasSuffix(".") { step.removeLast() }
        return step
    }

    public var nextStep: String {
        switch self {
        case .notALibrary: "name another path, or a new one to begin a library there"
        case .inUse(_, Self.ownProcess):
            "use the store that is open, or close it first; a second one can be opened read-only, or waits where both are shared"
        case .inUse: "try again when what is done there has ended, close it there, or open it read-only"
        case .damaged: "run `bookdb verify` to see what is affected; the rest can still be read"
        case .tooNew, .unknownFeatures(_, _, canBeRead: false): "update BookDB"
        case .unknownFeatures: "open it read-only, or update BookDB to write to it"
        case .outdated: "open it once for writing, as `bookdb reindex` does"
        case .diskFull: "free some space and try again"
        case .readOnly: "open it for writing, on a disk that can be written"
        case .notPermitted: "check the owner and the permissions"
        case .notFound: "check the path"
        case .opening: "wait for ready(), or show that it is being opened"
        case .missingParent: "make the folder first, or check the path"
        case .notARegularFile: "put the file itself in its place"
        case .exists: "name another path, or remove what is there first"
        case .tooLittleSpace: "free some space and try again"
        case .backupRefused(_, _, let next): Self.asStep(next)
        case .displaced: "open it where it is now; if it is gone, begin it anew"
        case .inputOutput: "check the disk and the limits of the process, then try again"
        case .recordNotFound: "look whether it was deleted, or insert it first; nothing was changed"
        case .duplicate: "update the one that is there, or insert it as a new one; nothing was changed"
        case .notUnique: "change that one, or give the new one another value; nothing was changed"
        case .referenced: "change those that name it first; nothing was changed"
        case .invalidValue: "correct the value and try again; nothing was changed"
        case .schemaMismatch: "correct the declaration of the type"
        case .incompleteOrder: "wait for it with makeOrders(of:), which begins it, or try again when it is made"
        case .mixedUnits: "ask for each unit by itself: groups() of an order that goes by it"
        case .invalidArgument: "correct what is asked for"
        case .tooLarge: "make it smaller, or do it in several parts"
        case .undoRefused: "change these records first, or make the change by hand; nothing was changed"
        case .undoLost: "make the change by hand, or open the library with more memory for undoing"
        case .closed: "open it again"
        case .suspended: "write again when the app runs on, or ask the system for time first; nothing was changed"
        case .cancelled: "start it again when it suits"
        case .unsaved: "check the disk, then open the library and see what is there"
        case .refusingWrites: "open the library again to write; reading goes on"
        }
    }
}

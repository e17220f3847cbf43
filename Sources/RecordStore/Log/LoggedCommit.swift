#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import StorageEngine

/// A commit of a log, and the records that it changed.
public struct LoggedCommit: Sendable {
    public let number: UInt64

    public let date: Date

    /// In the log.
    public let byteCount: Int

    /// What the app has called it; see `LibraryTransaction.commitName`.
    public let name: String?

    /// The commit that this one takes back; see `RecordLibrary.undo`.
    public let undoneCommit: UInt64?

    /// Each record once, in the order of the log. None for a commit that changed lists and indexes alone, or what the library says of its
    /// kinds.
    public let changes: [Change]

    public struct Change: Sendable, Equatable {
        public let kind: String

        /// Of the kind, for people: `2 works`; the name of one of the app's own.
        public let plural: String

        /// Such as `a3f09c-12`. An entry has that of its work.
        public let id: String

        public let what: What

        /// What people know the record by: its first fields, up to 160 characters. Of one that was deleted what it was, where the log or the
        /// snapshot still has that. Empty when it was not asked for.
        public let text: String
    }

    public enum What: String, Sendable, CaseIterable {
        case inserted, updated, deleted
        /// Inserted or updated: what was there before cannot be read.
        case written
    }

    /// The records of a kind to which the same was done.
    public struct Count: Sendable, Equatable {
        public let kind: String
        public let plural: String
        public let what: What
        public let count: Int
    }

    init(_ head: LibraryLog.Head, _ changes: [Change], _ operations: [LoggedOperation]) {
        (number, date, byteCount) = (head.number, head.date, head.byteCount)
        self.changes = changes
        var (name, undone): (String?, UInt64?)
        for operation in operations {
            switch operation.kind {
            case .note(LogNote.name, let note): name = String(decoding: note, as: UTF8.self)
            case .note(LogNote.undone, let note) where note.count == 8: undone = note.number(at: 0)
            default: break
            }
        }
        (self.name, undoneCommit) = (name, undone)
    }

    /// By kind, in the order in which the commit first names each.
    public var counts: [Count] {
        var kinds: [(kind: String, plural: String)] = []
        var numbers: [String: [What: Int]] = [:]
        for change in changes {
            if numbers[change.kind] == nil { kinds.append((change.kind, change.plural)) }
            numbers[change.kind, default: [:]][change.what, default: 0] += 1
        }
        return kinds.flatMap { kind, plural in
            What.allCases.compactMap { what in
                numbers[kind]?[what].map { Count(kind: kind, plural: plural, what: what, count: $0) }
            }
        }
    }
}

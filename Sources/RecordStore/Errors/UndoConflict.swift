/// A record that keeps a commit from being undone, and why.
public struct UndoConflict: Hashable, Sendable, CustomStringConvertible {
    /// `Transfer`; in lower case for what the library keeps beside the app's own records.
    public let kind: String

    /// The raw value of the record's `ID`; an entry has that of what it is for.
    public let identifier: UInt64

    /// The fields that the commit changed and that others have changed since; none for another reason.
    public let fields: [String]

    /// What stands against it: `was deleted since`.
    public let reason: String

    package init(_ kind: String, _ identifier: UInt64, fields: [String] = [], _ reason: String) {
        (self.kind, self.identifier, self.fields, self.reason) = (kind, identifier, fields, reason)
    }

    package static func changed(_ kind: String, _ identifier: UInt64, fields: [String] = []) -> UndoConflict {
        guard !fields.isEmpty else { return UndoConflict(kind, identifier, "was changed since") }
        let names = fields.map { "“\($0)”" }.joined(separator: " and ")
        return UndoConflict(kind, identifier, fields: fields, "has another \(names) since")
    }

    package static func deleted(_ kind: String, _ identifier: UInt64) -> UndoConflict {
        UndoConflict(kind, identifier, "was deleted since")
    }

    package static func present(_ kind: String, _ identifier: UInt64) -> UndoConflict {
        UndoConflict(kind, identifier, "is there again, and is another")
    }

    public var description: String { "\(kind) \(ID<AppRecord>(rawValue: identifier)) \(reason)" }
}

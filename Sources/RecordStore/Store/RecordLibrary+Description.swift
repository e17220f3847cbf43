extension RecordLibrary: CustomDebugStringConvertible {
    public var debugDescription: String { "\(Self.self)(\(database.path), commit \(snapshot.commitNumber))" }
}

extension Snapshot: CustomDebugStringConvertible {
    public var debugDescription: String { "Snapshot(commit \(commitNumber))" }
}

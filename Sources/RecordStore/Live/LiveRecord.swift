import Observation

/// One of an app's own records for an interface, which follows the library.
///
/// ```swift
/// let account = LiveRecord(store, savings)
/// account.value?.name
/// ```
///
/// A commit costs it nothing unless it changed the record, so an interface may have one for every cell. It comes to a commit together
/// with all lists of the app.
@MainActor public final class LiveRecord<Value: Record>: Observable {
    public nonisolated let id: ID<Value>

    /// The record as the last commit left it; `nil` when there is none, when it was deleted, and when it cannot be read.
    public var value: Value? { (try? found.get()) ?? nil }

    /// Why the record cannot be read.
    public var error: LibraryError? {
        if case .failure(let error) = found { error } else { nil }
    }

    @Observed private var found: Result<Value?, LibraryError>
    private let hub: LiveListHub

    public init(_ store: RecordLibrary, _ id: ID<Value>) {
        self.id = id
        hub = store.listHub
        found = Self.record(id, in: hub.snapshot)
        hub.add(self, of: Value.recordName, id.untyped)
    }

    // Not isolated: that needs a later system, and the actor need not wait for it.
    deinit {
        let (hub, id) = (hub, id.untyped)
        Task { @MainActor in hub.forgetObservers(of: Value.recordName, id) }
    }

    /// Waits until `value` is that of a commit, such as the one just made.
    public func shows(_ commitNumber: UInt64) async { await hub.showing(commitNumber) }

    private static func record(_ id: ID<Value>, in snapshot: Snapshot) -> Result<Value?, LibraryError> {
        Result { () throws(LibraryError) in try snapshot.records(Value.self)[id] }
    }
}

extension LiveRecord: LiveFollower {
    package func follow(_ diff: SnapshotDiff) { found = Self.record(id, in: diff.after) }
}

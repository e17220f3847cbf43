extension Writer {
    /// Everything that decides what the writer does next, by name. Commits are counted from the newest published one, so that two
    /// stores whose files differ in nothing but numbers, and whose summaries are equal, answer every sequence of calls alike. A
    /// search through such sequences tells states apart by it.
    ///
    /// Precondition: the store is at rest.
    var summary: [String: String] {
        let log = log.runHere { $0.summary(from: published.commitNumber) }.get()
        let sealed = sealed.map { "\($0.isPublished ? "published" : "waiting") \($0.durability)" }
        let facts: [(String, Any)] = [
            ("state", state.commitNumber.distance(to: published.commitNumber)), ("sealed", sealed),
            ("has unwritten bytes", unwrittenByteCount != 0), ("busy", isBusy), ("in flight", inFlight.count),
            ("rescuing", rescueReason != nil), ("refusal", refusal?.name ?? "none"),
            ("owes durability", unwritten != nil),
            ("rotating", rotationRequest != nil), ("replayable", replayable?.count as Any),
            ("compacting", compaction != nil), ("loading", isLoading),
            ("log is empty", logByteCount == LogSegmentFormat.headerByteCount),
            ("undeclared", undeclared.count),
        ]
        return log.merging(facts.map { ($0.0, "\($0.1)") }) { $1 }
    }
}

extension StorageError {
    fileprivate var name: String {
        switch self {
        case .closed: "closed"
        case .poisoned: "poisoned"
        default: "other"
        }
    }
}

extension Database {
    /// `Writer.summary`; empty for a read-only store.
    package func summary() async -> [String: String] { await writer?.summary ?? [:] }
}

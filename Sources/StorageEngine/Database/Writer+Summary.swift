extension Writer {
    /// Everything that decides what the writer does next, by name. Commits are counted from the newest published one, so that two
    /// stores whose files differ in nothing but numbers, and whose summaries are equal, answer every sequence of calls alike. A
    /// search through such sequences tells states apart by it.
    ///
    /// Precondition: the store is at rest.
    var summary: [String: String] {
        // A closed log is asked nothing.
        let log = queue.isClosing ? [:] : log.runHere { $0.summary(from: published.commitNumber) }.get()
        func distance(to commit: UInt64) -> Int { published.commitNumber.distance(to: commit) }
        let facts: [(String, Any)] = [
            ("phase", queue.phase.name), ("head", distance(to: state.commitNumber)),
            ("sealed", distance(to: queue.sealed)), ("written", distance(to: queue.written)),
            ("durable", distance(to: queue.durable)), ("seen", distance(to: queue.published)),
            ("held", commits.count), ("gathered", gathered?.count as Any), ("rotating", rotation != nil),
            ("compacting", compaction != nil), ("loading", loadStart != nil || queue.hasLoad),
            ("closing", closing != nil), ("log is empty", logByteCount == LogSegmentFormat.headerByteCount),
            ("undeclared", undeclared.count),
        ]
        return log.merging(facts.map { ($0.0, "\($0.1)") }) { $1 }
    }
}

extension CommitQueue.Phase {
    fileprivate var name: String {
        switch self {
        case .idle: "idle"
        case .filling: "filling"
        case .writing: "writing"
        case .takingBack: "taking back"
        case .rotating: "rotating"
        case .rescuing: "rescuing"
        case .loading: "loading"
        case .stalled: "stalled"
        case .refused: "refused"
        case .closing: "closing"
        case .closed: "closed"
        }
    }
}

extension Database {
    /// `Writer.summary`; empty for a read-only store.
    package func summary() async -> [String: String] { await writer?.summary ?? [:] }
}

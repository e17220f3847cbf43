#if canImport(os)
    public import os

    /// A signposter of Apple's systems shows a library's work in Instruments: an interval for each piece, named for its phase.
    extension OSSignposter: DiagnosticTrace {
        public func begin(_ interval: DiagnosticInterval) -> @Sendable () -> Void {
            guard isEnabled else { return {} }
            let (id, name) = (makeSignpostID(), interval.phase.signpost)
            // An app chose the names of its steps and jobs, so they say nothing of a person.
            _ = beginInterval(name, id: id, "\(interval.name ?? "", privacy: .public)")
            return { endInterval(name, .beginState(id: id)) }
        }
    }

    extension DiagnosticInterval.Phase {
        fileprivate var signpost: StaticString {
            switch self {
            case .map: "map"
            case .check: "check"
            case .replay: "replay"
            case .step: "step"
            case .job: "job"
            case .seal: "seal"
            case .write: "write"
            case .flush: "flush"
            case .compaction: "compaction"
            case .load: "load"
            case .backup: "backup"
            }
        }
    }
#endif

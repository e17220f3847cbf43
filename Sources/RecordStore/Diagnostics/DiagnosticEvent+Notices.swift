import StorageEngine

extension DiagnosticEvent {
    /// What the engine tells, as events: an opening may be several.
    static func events(_ notice: StoreNotice, at path: String) -> [DiagnosticEvent] {
        switch notice {
        case .opening: []
        case .opened(let report): openings(report, path)
        case .openingFailed(let error): [unavailable(LibraryError(error), at: path)]
        case .readInstead(let error):
            [
                DiagnosticEvent(
                    .error, .readOnly, path,
                    "It could not be opened for writing, and can only be read. \(sentence(error))")
            ]
        case .recovered(let report): recoveries(report, path)
        case .compacted(let report):
            [
                DiagnosticEvent(
                    .info, .compacted, path, "Compacted: what was changed is part of the snapshot now.",
                    [
                        "bytes-before": report.byteCountBefore, "bytes": report.snapshotByteCount,
                        "nanoseconds": report.nanoseconds,
                    ])
            ]
        case .compactionFailed(let error, let count):
            [
                DiagnosticEvent(
                    .warning, .compactionFailed, path,
                    "A compaction failed; the library is as it was. \(sentence(error))",
                    ["failures": count])
            ]
        case .stalled(let error):
            [
                DiagnosticEvent(
                    .warning, .stalled, path,
                    "The disk did not take the last changes; those in memory are tried again. \(sentence(error))")
            ]
        case .waiting: []
        case .resumed:
            [DiagnosticEvent(.notice, .resumed, path, "The disk takes changes again, and has those that waited.")]
        case .rescued(let generation, let error):
            [
                DiagnosticEvent(
                    .warning, .rescued, path,
                    "The log failed, so everything was written to new files; nothing is lost. \(sentence(error))",
                    ["generation": Int(generation)])
            ]
        case .followingFailed(let error):
            [
                DiagnosticEvent(
                    .warning, .followingFailed, path,
                    "What another process has written could not be shown; it is tried again by itself, and when somebody writes next. "
                        + sentence(error))
            ]
        case .followingResumed:
            [
                DiagnosticEvent(
                    .notice, .followingResumed, path, "What other processes have written is shown again.")
            ]
        case .damageMet(let damage): [damageMet(damage, at: path)]
        case .refusing(let error): [DiagnosticEvent(.error, .refusing, path, sentence(error))]
        case .closed(nil): [DiagnosticEvent(.info, .closed, path, "Closed.")]
        case .closed(let error?): [DiagnosticEvent(.error, .closed, path, sentence(error))]
        }
    }

    static func orderMadeAnew(_ kind: String, _ name: String, at path: String) -> DiagnosticEvent {
        DiagnosticEvent(
            .warning, .orderMadeAnew, path,
            "The order “\(name)” of \(kind) did not hold the records of \(kind), and is made anew. Run `bookdb verify` for whatever else is not as it "
                + "should be.")
    }

    static func damageMet(_ damage: Damage, at path: String) -> DiagnosticEvent {
        DiagnosticEvent(.error, .damaged, path, sentence(.damaged(damage)))
    }

    static func launchOverBudget(
        _ nanoseconds: Int, _ longest: String, at path: String
    ) -> DiagnosticEvent {
        DiagnosticEvent(
            .warning, .launchOverBudget, path,
            "What comes before the first frame takes longer than it may; most of it is “\(longest)”. Let what can wait wait with afterFirstFrame.",
            ["nanoseconds": nanoseconds])
    }

    static func answerWithoutRoom(_ name: String, at path: String) -> DiagnosticEvent {
        DiagnosticEvent(
            .warning, .answerWithoutRoom, path,
            "The answer “\(name.prefix(100))” has no room beside those that other processes have kept, and is in memory alone. Forget some of them, or keep less."
        )
    }

    static func unavailable(_ error: LibraryError, at path: String) -> DiagnosticEvent {
        DiagnosticEvent(
            .error, .unavailable, path,
            "The library could not be opened, and nothing of it can be read. \(error.sentence)")
    }

    private static func openings(_ report: OpeningReport, _ path: String) -> [DiagnosticEvent] {
        let opened = DiagnosticEvent(
            .info, .opened, path, report.createdStore ? "Begun." : "Opened.",
            [
                "snapshot-bytes": report.snapshotByteCount, "log-bytes": report.logByteCount,
                "replayed-commits": report.replayedCommits,
                "nanoseconds": report.mapNanoseconds + report.replayNanoseconds,
            ])
        return [opened] + recoveries(report, path)
    }

    /// What an opening met, beside what it did.
    private static func recoveries(_ report: OpeningReport, _ path: String) -> [DiagnosticEvent] {
        var events: [DiagnosticEvent] = []
        if report.tornByteCount + report.setAsideByteCount > 0 {
            events.append(
                DiagnosticEvent(
                    .notice, .recovered, path,
                    "It was not closed before: what was never acknowledged was cut off its log.",
                    ["cut-bytes": report.tornByteCount, "bytes-set-aside": report.setAsideByteCount]))
        }
        if report.fellBack || report.usedSpareSuperblock {
            let found = report.fellBack ? "Its newest snapshot" : "The first page of its snapshot"
            let served = report.fellBack ? "the one before it" : "its copy"
            events.append(DiagnosticEvent(.warning, .damaged, path, "\(found) cannot be read; \(served) served."))
        }
        if let damage = report.damage ?? report.damagedTrees.first?.damage {
            events.append(DiagnosticEvent(.error, .damaged, path, sentence(.damaged(damage))))
        }
        return events
    }

    private static func sentence(_ error: StorageError) -> String { LibraryError(error).sentence }
}

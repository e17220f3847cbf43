import BookDB

/// What a run prints.
struct RunPage {
    let run: TrackerRun

    /// So many of the first rows are printed.
    private static let shownRowCount = 5

    func write(to page: inout Page) {
        let size = run.size
        page.title("A library of \(Figure.count(size.works, "work")) and \(Figure.count(size.purchases, "purchase"))")
        if let time = run.makingTime {
            page.text("It was made now, in \(Figure.time(nanoseconds: Int(time / .nanoseconds(1)))).")
        }
        writeFirstFrame(to: &page)
        writePhases(to: &page)
        writeJobs(to: &page)
        writeFootprint(to: &page)
        page.title("Health: " + run.health.name)
        page.text(run.health.sentence)
        page.title("What must be so")
        page.table(
            run.states.map { state in
                [state.name, state.found, state.holds ? "yes" : "no: \(state.expected) expected"]
            }, [.left, .right])
        page.title("Limits")
        page.table(
            [["", "allowed", "measured", "holds", ""]]
                + run.limits.map { limit in
                    [
                        limit.name, limit.allowed.words, limit.measured?.words ?? "not told",
                        limit.holds.map { $0 ? "yes" : "no" } ?? "-", limit.work,
                    ]
                }, [.left, .right, .right])
    }

    private func writeFirstFrame(to page: inout Page) {
        let frame = run.firstFrame
        page.title("The first frame: " + frame.words)
        let rows = frame.rows.prefix(Self.shownRowCount).map { row in
            [row.year.map(String.init) ?? "", Self.cut(row.authors, 28), Self.cut(row.title, 48)]
        }
        page.table(rows, [.right])
        if frame.rows.count > rows.count { page.text("… \(frame.rows.count - rows.count) more on the screen") }
        page.text("premium: " + (run.isPremium.map { $0 ? "yes, as was kept" : "no, as was kept" } ?? "not known yet"))
    }

    private func writePhases(to page: inout Page) {
        let times = run.times
        page.title("The launch, as the library timed it")
        var rows = [["the call that opens", Figure.time(nanoseconds: times.blockedNanoseconds), "held its caller"]]
        rows += times.stepsBeforeFirstFrame.map {
            [$0.name, Figure.time(nanoseconds: $0.nanoseconds), "before the first frame"]
        }
        rows += [
            ["first frame", times.firstFrameNanoseconds.map(Figure.time) ?? "-", "after the call"],
            [
                "mapping the snapshot", Figure.time(nanoseconds: times.mappingNanoseconds),
                Figure.bytes(times.snapshotByteCount),
            ],
            [
                "replaying the log", Figure.time(nanoseconds: times.replayNanoseconds),
                "\(Figure.count(times.replayedCommitCount, "commit")), \(Figure.bytes(times.logByteCount))",
            ],
            [
                "all there", times.readyNanoseconds.map(Figure.time) ?? "-",
                "after the call; \(Figure.count(times.readPageCount, "page")) read",
            ],
        ]
        if times.isOverBudget { rows.append(["", "", "What came before the first frame took longer than it may."]) }
        page.table(rows, [.left, .right])
    }

    private func writeJobs(to page: inout Page) {
        page.title("After the first frame")
        page.table(
            run.jobs.map { job in
                [
                    job.name, job.state.description,
                    job.attemptCount > 0 ? Figure.time(nanoseconds: job.nanoseconds) : "",
                    run.notes[job.name] ?? job.outcome ?? "",
                ]
            }, [.left, .left, .right])
    }

    /// Beside what the system says of the whole process.
    private func writeFootprint(to page: inout Page) {
        guard let footprint = run.measured.footprint else { return }
        page.title("Memory, when all rows were drawn")
        let parts = Footprint.Part.allCases.filter { footprint[$0] > 0 }
        page.table(
            parts.map { [$0.rawValue, Figure.bytes(footprint[$0]), $0.isDirty ? "" : "mapped, clean"] } + [
                ["dirty, as the library counts", Figure.bytes(footprint.dirtyByteCount)],
                [
                    "dirty, as the process grew", run.measured.listByteCount.map(Figure.bytes) ?? "not told",
                    "with what the list drew and the allocator keeps",
                ],
            ], [.left, .right])
    }

    private static func cut(_ text: String, _ width: Int) -> String {
        text.count > width ? text.prefix(width - 1) + "…" : text
    }
}

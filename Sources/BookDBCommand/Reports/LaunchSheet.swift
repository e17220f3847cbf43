import BookDB

/// What `bookdb inspect --launches` says: a line for each launch of an app, the newest first.
struct LaunchSheet {
    let history: LaunchHistory

    func lines(style: Style) -> [String] {
        guard !history.launches.isEmpty else {
            return [
                "No launch was noted: that takes an app that calls launch.firstFrame()."
            ]
        }
        var table = TextTable([
            TextTable.Column(title: "launch"), .init(title: "blocked", alignment: .right),
            .init(title: "readable", alignment: .right), .init(title: "first frame", alignment: .right),
            .init(title: "all there", alignment: .right),
            .init(title: "log", alignment: .right), .init(title: "replayed", alignment: .right),
            .init(title: "pages", alignment: .right),
        ])
        for launch in history.launches.reversed() {
            table.add([
                TimeText.second(launch.date), Self.time(launch.blockedNanoseconds),
                launch.firstReadableNanoseconds.map(Self.time) ?? "-",
                launch.firstFrameNanoseconds.map(Self.time) ?? "-",
                launch.readyNanoseconds.map(Self.time) ?? "-", NumberText.bytes(launch.logByteCount),
                NumberText.count(launch.replayedCommitCount, "commit"), NumberText.count(launch.readPageCount),
            ])
        }
        var lines = table.lines(heading: style.faint)
        if let newest = history.launches.last, !newest.stepsBeforeFirstFrame.isEmpty {
            lines += ["", "Before the first frame of the newest:"]
            lines += newest.stepsBeforeFirstFrame.map {
                "  \(DisplayWidth.printable($0.name))  \(Self.time($0.nanoseconds))"
            }
            if newest.isOverBudget { lines.append("  That is more than it may take.") }
        }
        lines += jobLines
        if let growth = history.growth, history.standsOut {
            lines += [
                // Of figures that somebody has forged the quotient may be any.
                "",
                "The newest read \(NumberText.percent(Int(min(growth * 100, 1e9)), of: 100)) of what those before it read.",
                "→ bookdb compact folds a long log into the snapshot",
            ]
        }
        return lines
    }

    /// What was done after the first frame of the newest launch.
    private var jobLines: [String] {
        guard let jobs = history.launches.last?.jobs, !jobs.isEmpty else { return [] }
        var table = TextTable([
            TextTable.Column(title: "job"), .init(title: "state"), .init(title: "took", alignment: .right),
            .init(title: "outcome", leastWidth: 20),
        ])
        for job in jobs {
            let outcome = job.outcome.map { String($0.prefix { !$0.isNewline }) }
            table.add([job.name, job.state, Self.time(job.nanoseconds), outcome ?? ""])
        }
        return ["", "After the first frame of the newest:"] + table.lines(indent: 2)
    }

    private static func time(_ nanoseconds: Int) -> String { NumberText.duration(.nanoseconds(nanoseconds)) }

    /// `bookdb.launches/1`
    var document: String {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.launches/1")
            json.member("standsOut", history.standsOut)
            json.array("launches") { json in
                for launch in history.launches { json.object { write(launch, to: &$0) } }
            }
        }
        return json.text
    }

    private func write(_ launch: LaunchTimes, to json: inout JSONWriter) {
        json.member("date", TimeText.text(launch.date))
        json.member("blockedNanoseconds", launch.blockedNanoseconds)
        json.optional("firstReadableNanoseconds", launch.firstReadableNanoseconds)
        json.optional("firstReadNanoseconds", launch.firstReadNanoseconds)
        json.optional("firstFrameNanoseconds", launch.firstFrameNanoseconds)
        json.optional("readyNanoseconds", launch.readyNanoseconds)
        json.member("replayNanoseconds", launch.replayNanoseconds)
        json.member("replayedCommits", launch.replayedCommitCount)
        json.member("logBytes", launch.logByteCount)
        json.member("snapshotBytes", launch.snapshotByteCount)
        json.member("readPages", launch.readPageCount)
        json.member("readBytes", launch.readByteCount)
        json.member("isOverBudget", launch.isOverBudget)
        json.array("beforeFirstFrame") { json in
            for step in launch.stepsBeforeFirstFrame {
                json.object { json in
                    json.member("name", step.name)
                    json.member("nanoseconds", step.nanoseconds)
                }
            }
        }
        json.array("afterFirstFrame") { json in
            for job in launch.jobs ?? [] {
                json.object { json in
                    json.member("name", job.name)
                    json.member("state", job.state)
                    json.member("nanoseconds", job.nanoseconds)
                    json.optional("outcome", job.outcome)
                }
            }
        }
    }
}

import Schedules

/// Orders of the steps of concurrent calls: `./dev torture --schedules --limit N`.
enum ScheduleTorture {
    /// Plays every scenario by so many schedules, and a tenth as many random ones; with `endsAtFinding`, up to the first that has a
    /// finding. `false` when a promise was broken.
    static func run(limit: Int, seed: UInt64, endsAtFinding: Bool, replay: String?) async -> Bool {
        if let replay {
            let finding = await ScheduleSearch.replay(replay)
            print(finding.map { "VIOLATION: \(replay)\n    \($0)" } ?? "Nothing was found.")
            return finding == nil
        }
        print("Random schedules from seed \(seed)")
        var (schedules, findings) = (0, 0)
        for scenario in ScheduleSearch.scenarioNames {
            let report = await ScheduleSearch(limit: limit, randomCount: limit / 10, seed: seed).run(scenario)
            print(report.line)
            for (finding, count) in report.findings.kinds(by: \.text) {
                print("  VIOLATION (\(count) like it), again with --replay '\(finding.schedule)':\n    \(finding.text)")
            }
            schedules += report.schedules + report.randomSchedules
            findings += report.findings.count
            if endsAtFinding, findings > 0 { break }
        }
        print("\(schedules) schedules played, \(findings) violations")
        return findings == 0
    }
}

import CrashSimulation
import Scheduling
import Testing

@testable import Schedules

/// Calls at the same time, in every order that a few choices make. `./dev torture --schedules` plays more.
@Suite struct ScheduleTests {
    @Test(arguments: ScheduleSearch.scenarioNames)
    func `no order of the steps of concurrent calls breaks a promise`(scenario: String) async {
        let report = await ScheduleSearch(limit: 150, randomCount: 50).run(scenario)
        print(report.line)
        #expect(report.outcomes.count > 0)
        for finding in report.findings.prefix(3) { Issue.record("\(finding)") }
    }

    @Test func `equal choices give equal histories`() async {
        let scenario = Scenario.all[0]
        let checked = CheckedCrashes()
        for seed in 1...20 as ClosedRange<UInt64> {
            let schedule = Schedule.random(count: 40, seed: seed)
            let first = await beside { ScheduleSearch.play(scenario, schedule, checked) }
            let second = await beside { ScheduleSearch.play(scenario, Schedule(text: "\(schedule)")!, checked) }
            #expect(first == second)
        }
    }
}

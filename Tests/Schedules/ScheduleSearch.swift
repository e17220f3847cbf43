import CrashSimulation
import Dispatch
import Scheduling
import TestSupport

/// The choices of a run, in order: which of the runnable steps went next, the oldest being 0. What follows the last is 0, too.
struct Schedule: Hashable, Sendable, CustomStringConvertible {
    var choices: [UInt8] = []

    /// Two hexadecimal digits a choice; a `-` for none.
    var description: String {
        let digits = choices.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return digits.isEmpty ? "-" : digits
    }

    init(_ choices: [UInt8] = []) { self.choices = Array(choices.reversed().drop { $0 == 0 }.reversed()) }

    static func random(count: Int, seed: UInt64) -> Schedule {
        var random = SeededGenerator(seed: seed)
        return Schedule((0..<count).map { _ in UInt8.random(in: 0...7, using: &random) })
    }

    init?(text: some StringProtocol) {
        let digits = Array(text.filter { $0 != "-" })
        guard digits.count.isMultiple(of: 2) else { return nil }
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let choice = UInt8(String(digits[index...index + 1]), radix: 16) else { return nil }
            choices.append(choice)
        }
    }
}

/// Plays a scenario by many schedules: first the one in which every step waits its turn, then all that differ from it by one choice, by
/// two and so on (Emmi, Qadeer and Rakamarić, "Delay-bounded scheduling", POPL 2011), then random ones.
///
/// Few choices suffice for most mistakes, and what is found is found by the fewest.
package struct ScheduleSearch: Sendable {
    /// A promise that was broken, and the schedule that breaks it, to be replayed.
    package struct Finding: Sendable, CustomStringConvertible {
        package let schedule: String
        package let text: String
        package var description: String { "\(schedule)\n    \(text)" }
    }

    package struct Report: Sendable {
        package let scenario: String
        package var schedules = 0
        package var randomSchedules = 0
        /// All schedules of up to so many choices that are not the oldest step.
        package var completeDeviations = 0
        /// There are no others.
        package var isExhaustive = false
        package var longestSteps = 0
        /// Different combinations of what the calls answered.
        package var outcomes: Set<String> = []
        package var findings: [Finding] = []

        package var line: String {
            let share =
                isExhaustive ? "all there are" : "all of up to \(completeDeviations) choices out of turn"
            return "\(scenario): \(schedules + randomSchedules) schedules (\(share); \(randomSchedules) random), "
                + "\(outcomes.count) outcomes, \(findings.count) findings"
        }
    }

    /// Schedules of a scenario that are played at most, apart from random ones.
    package var limit: Int
    package var randomCount: Int
    package var seed: UInt64

    package init(limit: Int, randomCount: Int, seed: UInt64 = 1) {
        self.limit = limit
        self.randomCount = randomCount
        self.seed = seed
    }

    package static var scenarioNames: [String] { Scenario.all.map(\.name) }

    /// Plays one scenario, from a task.
    package func run(_ scenario: String) async -> Report {
        guard let scenario = Scenario.all.first(where: { $0.name == scenario }) else {
            preconditionFailure("there is no scenario \(scenario)")
        }
        return await beside { search(scenario) }
    }

    struct Played: Sendable, Equatable {
        let schedule: Schedule
        /// How many steps could be chosen from, at each choice.
        let widths: [UInt8]
        let outcome: String
        let finding: String?
    }

    private func search(_ scenario: Scenario) -> Report {
        let checked = CheckedCrashes()
        var report = Report(scenario: scenario.name)
        func note(_ played: Played) {
            report.longestSteps = max(report.longestSteps, played.widths.count)
            report.outcomes.insert(played.outcome)
            if let text = played.finding {
                report.findings.append(Finding(schedule: "\(scenario.name)/\(played.schedule)", text: text))
            }
        }
        var wave = [Schedule()]
        var deviations = 0
        while !wave.isEmpty, report.schedules < limit {
            let isWhole = wave.count <= limit - report.schedules
            var next: [Schedule] = []
            for played in concurrently(
                Array(wave.prefix(limit - report.schedules)), { Self.play(scenario, $0, checked) })
            {
                report.schedules += 1
                note(played)
                let fixed = played.schedule.choices
                for place in fixed.count..<max(fixed.count, played.widths.count) {
                    for choice in 1..<max(1, played.widths[place]) {
                        let zeros = [UInt8](repeating: 0, count: place - fixed.count)
                        next.append(Schedule(fixed + zeros + [choice]))
                    }
                }
            }
            if isWhole { report.completeDeviations = deviations }
            report.isExhaustive = isWhole && next.isEmpty
            deviations += 1
            wave = next
        }
        guard !report.isExhaustive else { return report }
        let schedules = (0..<randomCount).map { index in
            Schedule.random(count: report.longestSteps, seed: seed &+ UInt64(index))
        }
        for played in concurrently(schedules, { Self.play(scenario, $0, checked) }) {
            report.randomSchedules += 1
            note(played)
        }
        return report
    }

    /// Choices beyond what there is to choose from begin again at the oldest step.
    static func play(_ scenario: Scenario, _ schedule: Schedule, _ checked: CheckedCrashes) -> Played {
        var widths: [UInt8] = []
        var finding: String?
        var outcome = ""
        do throws(ScenarioRun.Violation) {
            let run = try ScenarioRun(scenario)
            defer { outcome = run.answers.sorted().joined(separator: ", ") }
            try run.play(checked) { count in
                let wanted = widths.count < schedule.choices.count ? Int(schedule.choices[widths.count]) : 0
                widths.append(UInt8(clamping: count))
                return wanted % count
            }
        } catch { finding = error.description }
        return Played(schedule: schedule, widths: widths, outcome: outcome, finding: finding)
    }

    /// Plays `SCENARIO/CHOICES`, as a finding names it, and gives what it finds.
    package static func replay(_ text: String) async -> String? {
        guard let slash = text.lastIndex(of: "/"), let schedule = Schedule(text: text[text.index(after: slash)...]),
            let scenario = Scenario.all.first(where: { $0.name == text[..<slash] })
        else { return "no schedule: \(text)" }
        return await beside { play(scenario, schedule, CheckedCrashes()).finding }
    }
}

import Foundation
import RecordStore
import Testing

@testable import BookDBCommand

@Suite struct PresentationTests {
    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1 000"), (212_406, "212 406"), (-1_234_567, "−1 234 567")])
    func `digits stand in groups of three`(number: Int, expected: String) {
        #expect(NumberText.count(number) == expected)
    }

    @Test(arguments: [
        (0, "0 B"), (1_023, "1023 B"), (1_024, "1.0 KiB"), (393_216_000, "375.0 MiB"), (1_441_792_000, "1 375.0 MiB"),
        (-43_935_334, "−41.9 MiB"),
    ])
    func `sizes are in MiB`(bytes: Int, expected: String) {
        #expect(NumberText.bytes(bytes) == expected)
    }

    @Test func `durations have two or three digits that matter`() {
        #expect(NumberText.duration(.microseconds(45)) == "45 µs")
        #expect(NumberText.duration(.microseconds(3_240)) == "3.2 ms")
        #expect(NumberText.duration(.milliseconds(117)) == "117 ms")
        #expect(NumberText.duration(.milliseconds(1_900)) == "1.9 s")
        #expect(NumberText.duration(.seconds(125)) == "2:05 min")
    }

    /// A launch that read 2 to the 60th bytes, after one that read one, ended the process.
    @Test func `launches with forged figures are shown`() throws {
        func launch(pages: Int, log: Int) throws -> LaunchTimes {
            let json =
                #"{"date":0,"blockedNanoseconds":1,"mappingNanoseconds":1,"replayNanoseconds":1,"#
                + #""replayedCommitCount":1,"snapshotByteCount":1,"generation":1,"stepsBeforeFirstFrame":[],"#
                + "\"isOverBudget\":false,\"readPageCount\":\(pages),\"logByteCount\":\(log)}"
            return try JSONDecoder().decode(LaunchTimes.self, from: Data(json.utf8))
        }
        let most = (1 << 48) - 1
        let history = LaunchHistory([try launch(pages: 0, log: 1), try launch(pages: most, log: most)])
        let lines = LaunchSheet(history: history).lines(style: Style(.never))
        #expect(lines.contains { $0.hasPrefix("The newest read") && $0.contains(" %") }, "\(lines)")
        #expect(NumberText.percent(.max, of: 1).hasSuffix(" %") && NumberText.percent(1, of: 3) == "33 %")
    }

    @Test func `a wide character takes two columns and a mark none`() {
        #expect(DisplayWidth.of("abc") == 3)
        #expect(DisplayWidth.of("猫の庭") == 6)
        #expect(DisplayWidth.of("e\u{301}") == 1)
        #expect(DisplayWidth.fitted("猫の庭と灯台", to: 7) == "猫の庭…")
        #expect(DisplayWidth.fitted("The Hobbit", to: 8) == "The Hob…")
        #expect(DisplayWidth.fitted("a\u{1B}[31mb\nc", to: 20) == "a [31mb c")
    }

    @Test func `a table shrinks the columns that may shrink to fit 90`() {
        var table = TextTable([
            .init(title: "A", leastWidth: 10), .init(title: "N", alignment: .right), .init(title: "B", leastWidth: 10),
        ])
        table.add([String(repeating: "x", count: 200), "7", String(repeating: "y", count: 30)])
        table.add(["a", "1 000", "b"])
        let lines = table.lines()
        #expect(lines.count == 3 && lines.allSatisfy { DisplayWidth.of($0) <= 90 })
        #expect(lines[1].contains("…") && lines[1].contains("    7"))
    }

    @Test func `the word somebody meant is close`() {
        let known = ["inspect", "import", "ls", "verify"]
        #expect(NearMiss.closest(to: "inspct", among: known) == "inspect")
        #expect(NearMiss.closest(to: "imprto", among: known) == "import")
        #expect(NearMiss.closest(to: "sl", among: known) == "ls")
        #expect(NearMiss.closest(to: "dance", among: known) == nil)
    }

    @Test func `a paragraph breaks at blanks and in the middle of what has none`() {
        #expect(Paragraph.lines("one two three", width: 10, indent: 2) == ["  one two", "  three"])
        #expect(Paragraph.lines("猫の庭と灯台", width: 6, indent: 0) == ["猫の庭", "と灯台"])
    }
}

import BookDB
import Testing

@testable import BookTracker

@Suite struct PageTests {
    @Test(arguments: [[], ["--damage"], ["--newer"], ["--slow-disk"], ["--restore"]])
    func `every page fits ninety columns`(_ flags: [String]) async throws {
        let fixture = TrackerFixture()
        let command = try BookTracker.parse([fixture.folder.path] + flags)
        var page = Page()
        let isWell = try await command.play(fixture.size, fixture.folder, on: &page)
        // Whether the first frame is quicker than a real pause is a matter of the machine; `CaseTests` has a gate for
        // that.
        #expect(isWell || flags == ["--slow-disk"], "\(page.lines)")
        #expect(page.lines.count > 5 && page.lines.allSatisfy { $0.count <= Page.width }, "\(page.lines)")
        #expect(page.lines.allSatisfy { !$0.hasSuffix(" ") && !$0.contains("!") })
    }

    @Test func `a table is aligned, and what is too long is broken in its last column`() {
        var page = Page()
        page.table(
            [["one", "1", "short"], ["fourteen", "14", String(repeating: "word ", count: 30)]], [.left, .right])
        #expect(page.lines[0] == "  one        1  short")
        #expect(page.lines[1].hasPrefix("  fourteen  14  word word"))
        #expect(page.lines.count > 2 && page.lines[2].hasPrefix("                word"))
        #expect(page.lines.allSatisfy { $0.count <= Page.width })
    }

    @Test func `a word that is longer than a line is broken where the line is full`() {
        var page = Page()
        page.text(String(repeating: "a", count: 200))
        #expect(page.lines.map(\.count) == [90, 90, 26])
    }

    @Test func `figures are as people read them`() {
        #expect(Figure.count(1_234_567) == "1 234 567")
        #expect(Figure.count(1, "work") == "1 work" && Figure.count(0, "work") == "0 works")
        #expect(Figure.time(nanoseconds: 999_999) == "999 µs")
        #expect(Figure.time(nanoseconds: 1_250_000) == "1.3 ms")
        #expect(Figure.time(nanoseconds: 1_000_000_000) == "1 s")
        #expect(Figure.bytes(60_000_000) == "60 MB" && Figure.bytes(1_500) == "1.5 kB")
    }

    @Test func `a number of works that makes no library is refused`() {
        #expect(throws: (any Error).self) { _ = try BookTracker.parse(["--works", "9"]) }
    }

    @Test func `every health has words, and what is not well says what to do`() {
        let error = LibraryError.readOnly(path: "Library.bookdb")
        #expect(HealthWords(.opening(fraction: 0.5)).sentence.contains("50 %"))
        #expect(HealthWords(.readOnly(error)).nextStep == error.nextStep)
        #expect(HealthWords(.unavailable(error)).sentence == error.sentence)
        #expect(HealthWords(.ready).nextStep == nil && HealthWords(.upgrading(fraction: nil)).isOpen)
        #expect(!HealthWords(.unavailable(error)).isOpen)
    }
}

import Foundation
import StorageEngine
import Testing

@testable import RecordStore

/// An app and its widget, each with a library of its own in memory and the same small files beside it. Each wrote all that it knew, and so
/// what it did not know of the other was gone.
struct TwoProcessesTests {
    private let disk = MemoryFileSystem()

    private func open() throws -> RecordLibrary {
        RecordLibrary(try RecordLibrary.open("A.bookdb", .patient(.shared, disk)))
    }

    private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_700_000_000 + seconds) }

    private func answers(foundNoRoom: @escaping @Sendable (String) -> Void = { _ in }) -> AnswerFile {
        disk.createDirectory("A.bookdb")
        let file = AnswerFile(
            path: "A.bookdb/answers", fileSystem: disk, isReadWhenAsked: true, foundNoRoom: foundNoRoom)
        file.load()
        file.allowWriting()
        return file
    }

    private func answer(_ text: String, _ seconds: Double) -> AnswerFile.Stored {
        AnswerFile.Stored(value: Data(text.utf8), date: date(seconds))
    }

    @Test func `answers of two processes stay beside each other, and of one question the newest`() async throws {
        let (app, widget) = (answers(), answers())
        app.set(answer("app", 1), "premium")
        await app.settle()
        widget.set(answer("widget", 2), "weather")
        await widget.settle()
        #expect(answers()["premium"]?.value == Data("app".utf8) && answers()["weather"]?.value == Data("widget".utf8))
        // The widget has learned of the other answer with its own.
        #expect(widget["premium"]?.value == Data("app".utf8))
        widget.set(answer("newer", 4), "premium")
        await widget.settle()
        app.set(answer("older", 3), "premium")
        await app.settle()
        #expect(answers()["premium"]?.value == Data("newer".utf8) && app["premium"]?.value == Data("newer".utf8))
    }

    @Test func `an answer that has no room beside those of another process keeps no other from being written`()
        async throws
    {
        let told = Lock<[String]>([])
        let (app, widget) = (answers(), answers { name in told.withLock { $0.append(name) } })
        let large = String(repeating: "x", count: 400 << 10)
        #expect(app.set(answer(large, 1), "of the app"))
        await app.settle()
        // It has read nothing of that yet.
        #expect(widget.set(answer(large, 2), "of the widget"))
        await widget.settle()
        for second in [3.0, 4] {
            #expect(widget.set(answer("yes", second), "premium"))
            await widget.settle()
        }
        #expect(told.withLock { $0 } == ["of the widget"], "once")
        #expect(widget["of the widget"] != nil && widget["of the app"] != nil)
        #expect(answers()["premium"]?.date == date(4) && answers()["of the widget"] == nil)
        app.set(nil, "of the app")
        await app.settle()
        widget.set(answer("no", 5), "premium")
        await widget.settle()
        #expect(answers()["of the widget"]?.value == Data(large.utf8) && answers()["premium"]?.date == date(5))
    }

    @Test func `an answer that is forgotten is gone, unless another process has asked since`() async throws {
        let (app, widget) = (answers(), answers())
        app.set(answer("kept", 1), "premium")
        app.set(answer("gone", 1), "weather")
        await app.settle()
        // It has read nothing of that yet.
        widget.set(answer("asked", 2), "premium")
        await widget.settle()
        app.set(nil, "premium")
        app.set(nil, "weather")
        await app.settle()
        #expect(answers()["premium"]?.value == Data("asked".utf8) && answers()["weather"] == nil)
    }

    @Test func `an answer takes the place of the one before though the clock was set back`() async throws {
        let app = answers()
        app.set(answer("before", 100), "premium")
        await app.settle()
        app.set(answer("after", 1), "premium")
        await app.settle()
        #expect(answers()["premium"]?.value == Data("after".utf8) && app["premium"]?.value == Data("after".utf8))
    }

    @Test func `launches and jobs of two processes stay beside each other`() async throws {
        let (app, widget) = (try open(), try open())
        app.launch.afterFirstFrame("backup", priority: .utility, every: .seconds(60)) {}
        widget.launch.afterFirstFrame("refresh", priority: .utility, every: .seconds(60)) {}
        app.launch.firstFrame()
        await app.launch.finished()
        widget.launch.firstFrame()
        await widget.launch.finished()
        let file = LaunchFile(path: "A.bookdb/launches", fileSystem: disk).read()
        #expect(file.launches.count == 2)
        #expect(Set(file.jobs.map(\.name)).isSuperset(of: ["backup", "refresh"]))
        try await app.close()
        try await widget.close()
    }

    @Test func `of a job that two processes did the newest time stays, and of many launches the last twenty`() throws {
        var (former, mine, found) = (LaunchFile.Contents(), LaunchFile.Contents(), LaunchFile.Contents())
        for contents in 0..<3 {
            let job = LaunchFile.Contents.Job(name: "backup", lastSuccess: date(contents == 2 ? 300 : 100))
            switch contents {
            case 0: former.jobs = [job]
            case 1: mine.jobs = [job]
            default: found.jobs = [job]
            }
        }
        mine.noteSuccess(of: "backup", date(200))
        #expect(mine.added(to: found, since: former).jobs.map(\.lastSuccess) == [date(300)])
        mine.noteSuccess(of: "backup", date(400))
        #expect(mine.added(to: found, since: former).jobs.map(\.lastSuccess) == [date(400)])
        for number in 0..<15 {
            mine.note(LaunchTimes(date: date(Double(number))))
            found.note(LaunchTimes(date: date(1000 + Double(number))))
        }
        #expect(mine.added(to: found, since: former).launches.count == 20)
    }

    @Test func `two that write at once leave a whole file and nothing beside it`() async throws {
        let (app, widget) = (answers(), answers())
        for number in 0..<50 {
            app.set(answer("\(number)", Double(number)), "app \(number)")
            widget.set(answer("\(number)", Double(number)), "widget \(number)")
        }
        await app.settle()
        await widget.settle()
        app.set(answer("last", 100), "last of the app")
        await app.settle()
        #expect(answers()["last of the app"] != nil)
        #expect(try disk.names(inDirectory: "A.bookdb") == ["answers"])
    }
}

import ArgumentParser
import BookDB

/// The launch of a book-tracking app, played on a library of 200,000 works: what an app does before and after its
/// first frame, what that takes, and what its reader sees when the library is damaged, newer, on a slow disk, or
/// restored.
///
///     swift run -c release BookTracker
///     swift run -c release BookTracker --two-processes
@main struct BookTracker: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "BookTracker",
        abstract: "Plays the launch of a book-tracking app, and says what it took.",
        discussion: """
            The first run makes the library. Each case is played on a copy of it, with a real fault in its \
            files.

            The status is 1 when the launch failed or something is not as it must be. A limit that does not hold is \
            told, and changes the status only with --strict.
            """)

    @Argument(help: "The folder of the library; one in the temporary directory when there is none.")
    var folder: String?

    @Option(help: "How many works the library has.")
    var works = LibrarySize().works

    @Flag(help: "Play a damaged page and a damaged log.") var damage = false
    @Flag(help: "Play a library of a newer version.") var newer = false
    @Flag(help: "Play a disk that takes 200 ms to open a file.") var slowDisk = false
    @Flag(help: "Play a backup, a restore by the next launch, and one while the app runs.") var restore = false
    @Flag(help: "Play another process that writes, and is killed.") var twoProcesses = false
    @Option(help: .hidden) var otherProcess: String?
    @Flag(help: "A limit that does not hold makes the status 1.") var strict = false

    func validate() throws {
        guard (10...10_000_000).contains(works) else {
            throw ValidationError("--works is a number from 10 to 10000000, not \(works).")
        }
    }

    func run() async throws {
        if let otherProcess { return try await OtherProcess.play(on: otherProcess) }
        let folder = folder.map(TrackerFolder.init) ?? .standard
        var size = LibrarySize()
        size.works = works
        var page = Page()
        var isWell = false
        do {
            isWell = try await play(size, folder, on: &page)
        } catch {
            page.title("The launch failed.")
            page.text("\(error)")
        }
        print(page.lines.joined(separator: "\n"))
        guard isWell else { throw ExitCode.failure }
    }

    /// Plays the cases that were asked for, or the launch without any.
    ///
    /// - Returns: whether everything was as it must be.
    func play(_ size: LibrarySize, _ folder: TrackerFolder, on page: inout Page) async throws -> Bool {
        guard damage || newer || slowDisk || restore || twoProcesses else {
            let run = try await TrackerRun(size, in: folder)
            RunPage(run: run).write(to: &page)
            return run.statesHold && (run.limitsHold || !strict)
        }
        _ = try await folder.makeLibrary(size)
        var isWell = true
        let faults: [any Fault] =
            (damage ? [SpoiledPage(), SpoiledLog()] : []) + (newer ? [NewerFormat(), NewerFeature()] : [])
        for fault in faults {
            isWell = try await FaultCase(fault: fault, folder: folder, size: size).play(on: &page) && isWell
        }
        if slowDisk { isWell = try await SlowDiskCase(folder: folder, size: size).play(on: &page) && isWell }
        if restore {
            isWell = try await RestoreCase(folder: folder, size: size).play(on: &page) && isWell
            isWell = try await LiveRestoreCase(folder: folder, size: size).play(on: &page) && isWell
        }
        if twoProcesses { isWell = try await TwoProcessesCase(folder: folder, size: size).play(on: &page) && isWell }
        if !isWell { page.title("Something is not as it must be.") }
        return isWell
    }
}

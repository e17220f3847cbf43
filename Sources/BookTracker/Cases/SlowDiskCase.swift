import BookDB
import Foundation

/// A launch while the disk takes its time: the first frame does not wait for it.
struct SlowDiskCase {
    static let delay = Duration.milliseconds(200)

    /// So many works have other titles in the log than in the snapshot.
    static let changedCount = 3

    let folder: TrackerFolder
    let size: LibrarySize

    /// - Parameter frameShown: called after the first frame.
    func play(_ disk: SlowDisk, frameShown: @Sendable () -> Void = {}) async throws -> Findings {
        let copy = try folder.copyLibrary(size)
        defer { copy.remove() }
        try await copy.changeTitles(of: Self.changedCount)
        return await Findings.launch(
            copy, in: folder, LibrarySettings(fileSystem: disk), frameShown: frameShown)
    }

    /// One commit brings all that the snapshot holds, and one more what the log has beyond it.
    static func isShown(by findings: Findings) -> Bool {
        guard findings.commits.count == 2, let first = findings.commits.first, let last = findings.commits.last else {
            return false
        }
        return !findings.firstFrame.isLoaded && findings.healthAtFirstFrame.name == "opening"
            && first.isWhole && !last.isCatchingUp && last.changedWorkCount >= changedCount
            && findings.failure == nil && findings.lastFrame.isLoaded && findings.reach.isWhole
    }

    /// - Returns: whether the launch went as it must.
    func play(on page: inout Page) async throws -> Bool {
        let disk = SlowDisk { Thread.sleep(forTimeInterval: Self.delay / .seconds(1)) }
        let findings = try await play(disk)
        let delay = Figure.time(nanoseconds: Int(Self.delay / .nanoseconds(1)))
        page.title("The disk takes \(delay) to open a file")
        findings.write(
            to: &page,
            after: [["the call returned", "after " + Figure.time(nanoseconds: findings.times.blockedNanoseconds)]],
            before: [
                [
                    "all was there",
                    findings.times.readyNanoseconds.map { "after " + Figure.time(nanoseconds: $0) } ?? "never",
                ],
                ["slow openings", "\(disk.openedFileCount)"],
            ])
        return Self.isShown(by: findings)
    }
}

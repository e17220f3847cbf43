import BookDB
import Foundation

/// A change that is regretted, and a restore while the app runs: the library comes back without another launch.
struct LiveRestoreCase {
    let folder: TrackerFolder
    let size: LibrarySize

    struct Played: Sendable {
        let countBefore: Int
        let countAfterChange: Int
        let restored: Restoration
        /// How long the call took, nearly all of it beside a library that goes on.
        let nanoseconds: Int
        let countRestored: Int
        /// Of a snapshot that was taken before the restore, looked at after it.
        let countHeld: Int
        /// What was replaced, restored in its turn from the backup that the restore made first.
        let countBack: Int
        /// Of the next launch.
        let findings: Findings
    }

    func play() async throws -> Played {
        let copy = try folder.copyLibrary(size)
        defer { copy.remove() }
        let store = try await BookStore.open(at: copy.path)
        try await store.backup(to: copy.backup)
        let countBefore = try store.snapshot.works.count
        let regretted = try store.snapshot.works.list(by: .title).page(offset: 0, limit: RestoreCase.deletedCount)
            .map(\.id)
        try await store.write { library in for id in regretted { try library.delete(id) } }
        let held = store.snapshot
        let start = ContinuousClock.now
        let restored = try await store.restore(from: copy.backup, saving: copy.backup)
        let duration = start.duration(to: .now)
        let countRestored = try store.snapshot.works.count
        let countHeld = try held.works.count
        try await store.restore(from: copy.backup)
        let countBack = try store.snapshot.works.count
        try await store.close()
        return Played(
            countBefore: countBefore, countAfterChange: try held.works.count, restored: restored,
            nanoseconds: Int(duration / .nanoseconds(1)), countRestored: countRestored, countHeld: countHeld,
            countBack: countBack, findings: await Findings.launch(copy, in: folder))
    }

    static func isShown(by played: Played) -> Bool {
        let changed = played.countBefore - RestoreCase.deletedCount
        return played.countRestored == played.countBefore && played.countAfterChange == changed
            && played.countHeld == changed && played.countBack == changed
            && played.findings.lastFrame.count == changed && played.findings.reach.isWhole
            && played.findings.lastRestore != nil
    }

    /// - Returns: whether the library came back.
    func play(on page: inout Page) async throws -> Bool {
        let played = try await play()
        page.title("A backup is restored while the app runs")
        page.table([
            [
                "then",
                "\(Figure.count(RestoreCase.deletedCount, "work")) deleted, \(Figure.count(played.countAfterChange)) left",
            ],
            [
                "restored",
                "to commit \(played.restored.commitNumber) in \(Figure.time(nanoseconds: played.nanoseconds)), "
                    + "\(Figure.count(played.countRestored, "work"))",
            ],
            ["a snapshot from before", Figure.count(played.countHeld, "work")],
            ["the replaced library, restored", Figure.count(played.countBack, "work")],
        ])
        page.title("The next launch")
        played.findings.write(to: &page, before: [])
        return Self.isShown(by: played)
    }
}

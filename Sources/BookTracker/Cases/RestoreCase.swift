import BookDB
import Foundation

/// A backup, a change that is regretted, and a restore that the next launch carries out.
struct RestoreCase {
    let folder: TrackerFolder
    let size: LibrarySize

    /// What was done, and what the launch after it showed.
    struct Played: Sendable {
        let backup: BackupReport
        let countBefore: Int
        let countAfterChange: Int
        let staged: Restoration?
        let findings: Findings
    }

    static let deletedCount = 3

    /// - Parameter isStaged: whether the restore is staged; otherwise the same launch is played without it.
    func play(isStaged: Bool = true) async throws -> Played {
        let copy = try folder.copyLibrary(size)
        defer { copy.remove() }
        let store = try await BookStore.open(at: copy.path)
        let backup = try await store.backup(to: copy.backup)
        let countBefore = try store.snapshot.works.count
        let regretted = try store.snapshot.works.list(by: .title).page(offset: 0, limit: Self.deletedCount).map(\.id)
        try await store.write { library in for id in regretted { try library.delete(id) } }
        let countAfterChange = try store.snapshot.works.count
        let staged = isStaged ? try await store.stageRestore(from: copy.backup) : nil
        try await store.close()
        return Played(
            backup: backup, countBefore: countBefore, countAfterChange: countAfterChange, staged: staged,
            findings: await Findings.launch(copy, in: folder))
    }

    static func isShown(by played: Played) -> Bool {
        let findings = played.findings
        return findings.lastFrame.count == played.countBefore && findings.reach.isWhole
            && findings.lastRestore?.commitNumber == played.backup.commitNumber
            && played.countAfterChange == played.countBefore - deletedCount
    }

    /// - Returns: whether the restore was carried out.
    func play(on page: inout Page) async throws -> Bool {
        let played = try await play()
        page.title("A backup is restored by the next launch")
        page.table([
            [
                "backed up",
                "commit \(played.backup.commitNumber) with \(Figure.count(played.countBefore, "work")), "
                    + Figure.bytes(played.backup.byteCount),
            ],
            [
                "then",
                "\(Figure.count(Self.deletedCount, "work")) deleted, \(Figure.count(played.countAfterChange)) left",
            ],
            ["staged", played.staged.map { "a restore to commit \($0.commitNumber)" } ?? "nothing"],
        ])
        page.title("The next launch")
        let restored = played.findings.lastRestore.map {
            "to commit \($0.commitNumber), made \($0.commitDate.formatted(.iso8601)); carried out "
                + $0.date.formatted(.iso8601)
        }
        played.findings.write(to: &page, before: [["last restore", restored ?? "none"]])
        return Self.isShown(by: played)
    }
}

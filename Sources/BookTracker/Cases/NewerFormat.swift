import BookDB
import Foundation

/// The snapshot says that it has the format after the one that this version writes.
struct NewerFormat: Fault {
    let title = "The library has the format of a newer version"

    func inject(into copy: LibraryCopy) throws -> String {
        let file = try copy.newest("snapshot-")
        var words = ""
        try copy.change(file) { bytes in
            var snapshot = try SnapshotBytes(bytes)
            let format = snapshot.superblock(SnapshotBytes.Superblock.formatVersion)
            snapshot.setSuperblock(format + 1, at: SnapshotBytes.Superblock.formatVersion)
            bytes = snapshot.bytes
            words = "The format of \(URL(filePath: file).lastPathComponent) is raised from \(format) to \(format + 1)."
        }
        return words
    }

    func isShown(by findings: Findings) -> Bool {
        guard case .tooNew = findings.failure else { return false }
        return findings.health.name == "unavailable" && !findings.lastFrame.isLoaded
            && findings.reach.parts.allSatisfy { !$0.isReached } && !findings.reach.takesChanges
    }
}

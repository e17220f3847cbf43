import BookDB
import Foundation

/// The snapshot says that a newer version has added something without which nothing may be written to it.
struct NewerFeature: Fault {
    let title = "The library has a feature of a newer version"

    func inject(into copy: LibraryCopy) throws -> String {
        let file = try copy.newest("snapshot-")
        try copy.change(file) { bytes in
            var snapshot = try SnapshotBytes(bytes)
            snapshot.setSuperblock(1, at: SnapshotBytes.Superblock.readOnlyFeatures)
            bytes = snapshot.bytes
        }
        let name = URL(filePath: file).lastPathComponent
        return "\(name) says now that it has a feature of a newer version, without which it may only be read."
    }

    func isShown(by findings: Findings) -> Bool {
        findings.failure == nil && findings.health.name == "read-only" && findings.lastFrame.isLoaded
            && findings.reach.isReadable
            && findings.reach.changes.allSatisfy { change in
                if case .unknownFeatures(_, _, canBeRead: true) = change.refusal { true } else { false }
            }
    }
}

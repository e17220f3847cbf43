import BookDB
import Foundation

/// Eight bytes in the middle of the log are others than were written and flushed.
struct SpoiledLog: Fault {
    let title = "The log is damaged"

    /// Commits that are in the log alone.
    static let commitCount = 40

    func prepare(_ copy: LibraryCopy) async throws {
        let store = try await BookStore.open(at: copy.path)
        // What was in the log before is none of this case.
        try await store.compact()
        for number in 0..<Self.commitCount { try await store.insert(Account(name: "Account \(number)")) }
        try await store.close()
    }

    func inject(into copy: LibraryCopy) throws -> String {
        let file = try copy.newest("log-")
        var offset = 0
        try copy.change(file) { bytes in
            // Space behind the last frame is reserved and zero.
            let end = bytes.lastIndex { $0 != 0 } ?? 0
            offset = end / 2
            for index in offset..<min(offset + 8, bytes.count) { bytes[index] ^= 0xFF }
        }
        return "Eight bytes of \(URL(filePath: file).lastPathComponent) are changed, from byte \(offset) on."
    }

    func isShown(by findings: Findings) -> Bool {
        findings.failure == nil && findings.health.name == "damaged" && findings.lastFrame.isLoaded
            && findings.reach.isReadable && !findings.reach.takesChanges
    }
}

import BookDB
import Foundation

/// One byte of the page at the root of a list is another than was written.
struct SpoiledPage: Fault {
    static let tree = "author-order"

    let title = "A page of the snapshot is damaged"

    /// A commit behind the snapshot that moves a work in the list, so that the opening meets the page.
    func prepare(_ copy: LibraryCopy) async throws { try await copy.changeTitles(of: 3) }

    func inject(into copy: LibraryCopy) throws -> String {
        let file = try copy.newest("snapshot-")
        var words = ""
        try copy.change(file) { bytes in
            var snapshot = try SnapshotBytes(bytes)
            guard let page = snapshot.rootPage(ofTree: Self.tree) else {
                throw TrackerError("The library has no list by author that could be damaged.")
            }
            snapshot.spoil(page: page, byte: 33)
            bytes = snapshot.bytes
            words =
                "One byte of page \(page) of \(URL(filePath: file).lastPathComponent) is changed, the root of the list "
                + "by author."
        }
        return words
    }

    func isShown(by findings: Findings) -> Bool {
        findings.failure == nil && findings.health.name == "damaged" && findings.lastFrame.isLoaded
            && findings.reach.parts.filter { !$0.isReached }.map(\.name) == ["works by author"]
    }
}

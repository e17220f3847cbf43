import BookDB
import Foundation

@testable import BookTracker

/// A folder with a small library of the tracker, gone with the value.
final class TrackerFixture: Sendable {
    let folder: TrackerFolder
    let size = LibrarySize(works: 60, purchases: 80, imports: 20)

    init() {
        let name = "BookTracker-\(UUID().uuidString)"
        folder = TrackerFolder(path: FileManager.default.temporaryDirectory.appendingPathComponent(name).path)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder.path) }

    var path: String { folder.library(size) }

    /// The names in the folder.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? [] }

    /// With its library made.
    static func made() async throws -> TrackerFixture {
        let fixture = TrackerFixture()
        _ = try await fixture.folder.makeLibrary(fixture.size)
        return fixture
    }
}

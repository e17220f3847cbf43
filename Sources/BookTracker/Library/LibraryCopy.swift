import BookDB
import Foundation

/// A copy of a library's files, of which a case changes some.
struct LibraryCopy: Sendable {
    let path: String

    var name: String { URL(filePath: path).lastPathComponent }

    /// A place beside it for a backup.
    var backup: String { path + ".backup" }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
        try? FileManager.default.removeItem(atPath: backup)
    }

    /// The newest file whose name begins so, such as `snapshot-`.
    func newest(_ beginning: String) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        guard let name = names.filter({ $0.hasPrefix(beginning) }).max() else {
            throw TrackerError("\(self.name) has no file whose name begins with \(beginning).")
        }
        return path + "/" + name
    }

    /// Gives the first works by title others, in a commit that stays in the log.
    func changeTitles(of count: Int) async throws {
        let store = try await BookStore.open(at: path)
        let ids = try store.snapshot.works.list(by: .title).page(offset: 0, limit: count).map(\.id)
        try await store.updateEach(ids) { $0.title += " (new edition)" }
        try await store.close()
    }

    /// Reads a file of the library, lets it be changed, and writes it back in place.
    func change(_ file: String, _ body: (inout Data) throws -> Void) throws {
        var bytes = try Data(contentsOf: URL(filePath: file))
        try body(&bytes)
        try bytes.write(to: URL(filePath: file))
    }
}

/// What is wrong, as a sentence.
struct TrackerError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

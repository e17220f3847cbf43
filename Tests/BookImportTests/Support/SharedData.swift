import BookImport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Real files that lie beside the repository, not in it: they are other people's data.
enum SharedData {
    /// The directory, when there is one in `../shared/data` of the directory that holds `Package.swift`.
    static let directory: String? = {
        var directory = #filePath[...]
        while let slash = directory.lastIndex(of: "/") {
            directory = directory[..<slash]
            guard FileManager.default.fileExists(atPath: directory + "/Package.swift") else { continue }
            let data = directory[..<(directory.lastIndex(of: "/") ?? directory.startIndex)] + "/shared/data"
            return FileManager.default.fileExists(atPath: String(data)) ? String(data) : nil
        }
        return nil
    }()

    static var isThere: Bool { directory != nil }

    static func source(_ path: String) throws -> ImportSource {
        .file(path: try self.path(path))
    }

    static func path(_ path: String) throws -> String {
        try #require(directory) + "/" + path
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test where the real files are not there.
    static var needsSharedData: Self {
        .enabled(if: SharedData.isThere, "the directory ../shared/data with real exports is absent")
    }
}

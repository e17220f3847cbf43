#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Files of the repository that tests compare with what the code does: golden stores, specification pages.
public enum RepositoryFiles {
    /// The folder that holds `Package.swift`.
    public static let root: String = {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        while parts.count > 1, access((parts + ["Package.swift"]).joined(separator: "/"), F_OK) != 0 {
            parts.removeLast()
        }
        return parts.joined(separator: "/")
    }()

    /// Whether golden files are to be written anew instead of compared: `BOOKDB_WRITE_GOLDEN=1 swift test --filter golden`.
    public static var areWrittenAnew: Bool { getenv("BOOKDB_WRITE_GOLDEN") != nil }

    /// `nil` when there is no such file.
    public static func bytes(_ path: String) -> [UInt8]? {
        guard let file = fopen(root + "/" + path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// Gives whether all of it was written.
    public static func write(_ bytes: [UInt8], to path: String) -> Bool {
        guard let file = fopen(root + "/" + path, "w") else { return false }
        let count = fwrite(bytes, 1, bytes.count, file)
        return fclose(file) == 0 && count == bytes.count
    }

    /// The names in a folder, sorted.
    public static func names(in folder: String) -> [String] {
        guard let directory = opendir(root + "/" + folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Whether a golden file holds these bytes; writes them first when golden files are written anew.
    public static func isGolden(_ bytes: [UInt8], _ path: String) -> Bool {
        if areWrittenAnew, !write(bytes, to: path) { return false }
        return self.bytes(path) == bytes
    }
}

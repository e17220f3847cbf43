import Foundation

/// A folder with the files of one store.
struct FileTree {
    let path: String

    private var files: [String] {
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return names.map { path + "/" + $0 }.filter { !isFolder($0) }
    }

    private func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// The lengths of all files, or of those whose names begin so.
    func byteCount(named prefix: String = "") -> Int {
        files.filter { URL(filePath: $0).lastPathComponent.hasPrefix(prefix) }.reduce(0) { sum, file in
            sum + (((try? FileManager.default.attributesOfItem(atPath: file)[.size]) as? Int) ?? 0)
        }
    }

    func make() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    func remove() throws { if exists { try FileManager.default.removeItem(atPath: path) } }

    func move(to path: String) throws { try FileManager.default.moveItem(atPath: self.path, toPath: path) }

    /// In the place of what is there.
    func copy(to path: String) throws {
        try FileTree(path: path).remove()
        try FileTree(path: URL(filePath: path).deletingLastPathComponent().path).make()
        try FileManager.default.copyItem(atPath: self.path, toPath: path)
    }

    /// Reads the files, so that the system has them in its page cache.
    func cache() throws {
        for file in files { _ = try Data(contentsOf: URL(filePath: file)) }
    }

    /// Drops the files from the system's page cache. What is still to be written is written first, and the system may keep
    /// names and sizes; a host below may keep more.
    func evict() throws {
        for file in files {
            let descriptor = open(file, O_RDONLY)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            guard fsync(descriptor) == 0, posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0 else {
                throw Failure("cannot drop \(file) from the page cache")
            }
        }
    }
}

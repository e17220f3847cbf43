#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import Testing

/// A directory of its own for the time of the call; gone afterwards with all that is in it.
func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
    var template = Array("/tmp/bookdb-test-XXXXXX\0".utf8CString)
    let path = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer { removeTree(path) }
    try await body(path)
}

private func removeTree(_ path: String) {
    if let directory = opendir(path) {
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { removeTree(path + "/" + name) }
        }
        closedir(directory)
        rmdir(path)
    } else {
        unlink(path)
    }
}

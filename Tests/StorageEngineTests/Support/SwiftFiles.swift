import StorageEngine

/// The paths of the sources in a folder and those below it, in their order.
func swiftFiles(below directory: String) throws -> [String] {
    let fileSystem = PosixFileSystem()
    return try fileSystem.names(inDirectory: directory).sorted().flatMap { name in
        let path = directory + "/" + name
        if try fileSystem.kind(of: path) == .directory { return try swiftFiles(below: path) }
        return name.hasSuffix(".swift") ? [path] : []
    }
}

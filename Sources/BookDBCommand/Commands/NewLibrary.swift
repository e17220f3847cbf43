/// A library that this command began and that nothing came into.
enum NewLibrary {
    /// Takes the directory away again. Only for one that did not exist when the command began and holds no commit;
    /// a directory with anything else in it stays.
    static func remove(_ path: String) {
        let names = SystemCalls.names(inDirectory: path)
        let isOurs = names.allSatisfy { name in
            name == "lock" || name.hasPrefix("log-") || name.hasPrefix("snapshot-")
        }
        guard isOurs, !names.isEmpty else { return }
        for name in names { SystemCalls.removeFile(path + "/" + name) }
        SystemCalls.removeEmptyDirectory(path)
    }
}

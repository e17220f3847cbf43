/// A file of what does not fit into memory while something is being made. It is there from the first use on, and goes with `discard`.
///
/// One thread at a time uses it.
final class ScratchFile {
    private let path: String
    private let fileSystem: any FileSystem
    private var file: (any File)?

    init(path: String, _ fileSystem: any FileSystem) {
        self.path = path
        self.fileSystem = fileSystem
    }

    var isUsed: Bool { file != nil }

    func opened() throws(StorageError) -> any File {
        if let file { return file }
        let opened = try fileSystem.openFile(path, .creating)
        file = opened
        return opened
    }

    func discard() {
        guard let file else { return }
        file.close()
        self.file = nil
        // Best effort: what stays behind is removed at the next opening.
        try? fileSystem.remove(path)
    }
}

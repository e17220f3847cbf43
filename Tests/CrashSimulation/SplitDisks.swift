import StorageEngine

/// Two disks: what lies below one directory is on a recording one, everything else on another.
package final class SplitDisks: FileSystem {
    private let recording: RecordingDisk
    private let rest: any FileSystem

    package init(_ recording: RecordingDisk, beside rest: any FileSystem) {
        self.recording = recording
        self.rest = rest
    }

    private func disk(_ path: String) -> any FileSystem {
        path == recording.directory || path.hasPrefix(recording.directory + "/") ? recording : rest
    }

    package func kind(of path: String) throws(StorageError) -> PathKind { try disk(path).kind(of: path) }
    package func createDirectory(_ path: String, sharing: Sharing) throws(StorageError) {
        try disk(path).createDirectory(path, sharing: sharing)
    }
    package func names(inDirectory path: String) throws(StorageError) -> [String] {
        try disk(path).names(inDirectory: path)
    }
    package func flushDirectory(_ path: String) throws(StorageError) { try disk(path).flushDirectory(path) }
    package func openFile(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
        try disk(path).openFile(path, mode)
    }
    package func rename(_ path: String, to target: String) throws(StorageError) {
        try disk(path).rename(path, to: target)
    }
    package func remove(_ path: String) throws(StorageError) { try disk(path).remove(path) }
    package func removeDirectory(_ path: String) throws(StorageError) { try disk(path).removeDirectory(path) }
    package func lock(_ path: String) throws(StorageError) -> any FileLock { try disk(path).lock(path) }
    package func now() -> UInt64 { 0 }
}

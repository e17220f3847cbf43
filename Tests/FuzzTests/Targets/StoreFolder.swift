import CrashSimulation

@testable import StorageEngine

/// Where the targets keep their stores, and what files are called there.
enum StoreFolder {
    static let path = "Store"
    static let names = StoreFiles(directory: path)

    static func disk(_ files: [String: [UInt8]]) -> RecordingDisk { RecordingDisk(directory: path, files: files) }

    static func snapshot(_ generation: UInt64) -> String {
        String(names.snapshot(generation).dropFirst(path.count + 1))
    }

    static func log(_ sequence: UInt64) -> String { String(names.log(sequence).dropFirst(path.count + 1)) }

    /// A disk that holds directories of any names, with the files of a store in one.
    static func memory(_ files: [String: [UInt8]]) throws(StorageError) -> MemoryFileSystem {
        let disk = MemoryFileSystem()
        disk.createDirectory(path)
        for (name, bytes) in files { try write(bytes, to: path + "/" + name, on: disk) }
        return disk
    }

    /// Every file of a directory, but locks.
    static func files(in directory: String, on disk: MemoryFileSystem) throws(StorageError) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try disk.names(inDirectory: directory) where name != "lock" {
            files[name] = try bytes(of: directory + "/" + name, on: disk)
        }
        return files
    }

    static func bytes(of path: String, on disk: MemoryFileSystem) throws(StorageError) -> [UInt8] {
        let file = try disk.openFile(path, .reading)
        return try file.read(byteCount: try file.byteCount(), at: 0)
    }

    static func write(_ bytes: [UInt8], to path: String, on disk: MemoryFileSystem) throws(StorageError) {
        try disk.openFile(path, .creating).write(bytes, at: 0)
    }
}

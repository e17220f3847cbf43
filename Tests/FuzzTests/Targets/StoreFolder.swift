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
}
